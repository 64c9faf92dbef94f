"""The door: all that reaches beyond the agent's mind goes through `World`, live or captured."""
