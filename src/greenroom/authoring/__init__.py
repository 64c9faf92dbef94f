"""Help for the people who write tests: lint now; compiling, generating and importing stand here later."""
