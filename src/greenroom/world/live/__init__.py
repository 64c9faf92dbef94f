"""Does what the ports say."""
