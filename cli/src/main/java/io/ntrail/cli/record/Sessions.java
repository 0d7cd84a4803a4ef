package io.ntrail.cli.record;

import io.ntrail.live.etw.KernelRecorder;
import io.ntrail.live.etw.KernelRecorder.Started;
import io.ntrail.live.etw.KernelRequest;
import io.ntrail.live.etw.SessionControl.Listing;
import io.ntrail.live.etw.SessionMode;
import io.ntrail.live.etw.SessionProperties.Buffers;
import io.ntrail.live.etw.SessionState;

/**
 * Sessions of a Windows, by the words of the command line.
 *
 * @param recorder that makes the calls
 */
record Sessions(KernelRecorder recorder) {
  /** Name of ntrail's session, where the version of Windows lets it have one. */
  static final String NAME = "ntrail";

  /** Buffers of 1,024 KiB, the usual size for the kernel. */
  private static final Buffers BUFFERS = new Buffers(1024, 64, 256);

  Started start(BootRequest request, boolean takesOver) {
    return recorder.start(
        new KernelRequest(
            NAME,
            request.session().file(),
            BUFFERS,
            SessionMode.CIRCULAR,
            request.session().mebibytes(),
            request.session().groups(),
            request.session().stacks(),
            0),
        takesOver);
  }

  SessionState status(String name) {
    return recorder.status(named(name));
  }

  SessionState stop(String name) {
    return recorder.stop(named(name));
  }

  private String named(String name) {
    return name.isEmpty() ? recorder.session(NAME) : name;
  }

  Listing all() {
    return recorder.all();
  }
}
