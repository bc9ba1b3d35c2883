"""Static analysers behind one protocol: how each is started, isolated from the reviewed code, and read."""
