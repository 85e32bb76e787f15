"""`python -m dalang` is `dalang`."""

import signal


def main() -> None:
    """Until the command line is loaded and ready, Ctrl-C simply ends us; then it is the one that answers."""
    interrupted = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from dalang.harness.cli.main import main, prepare

    prepare()
    signal.signal(signal.SIGINT, interrupted)
    main()


if __name__ == "__main__":
    main()
