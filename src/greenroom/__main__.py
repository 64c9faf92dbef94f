"""`python -m greenroom` is `greenroom`."""

from greenroom.cli.app import main

if __name__ == "__main__":
    main()
