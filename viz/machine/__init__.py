"""The simulated machine as pictures: queues over time, rooflines, host and device, memory."""
