package io.ntrail.cli.record;

import io.ntrail.live.etw.KernelRecorder;
import io.ntrail.live.etw.KernelRecorder.Started;
import io.ntrail.live.etw.KernelRequest;
import io.ntrail.live.etw.MachineRegistry;
import io.ntrail.live.etw.SessionControl.Listing;
import io.ntrail.live.etw.SessionMode;
import io.ntrail.live.etw.SessionProperties.Buffers;
import io.ntrail.live.etw.SessionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Sessions of a Windows, by the words of the command line.
 *
 * @param recorder that makes the calls
 * @param registry of that Windows
 */
record Sessions(KernelRecorder recorder, MachineRegistry registry) {
  /** Name of ntrail's session, where the version of Windows lets it have one. */
  static final String NAME = "ntrail";

  /** Buffers of 1,024 KiB, the usual size for the kernel. */
  private static final Buffers BUFFERS = new Buffers(1024, 64, 256);

  /**
   * Starts one that writes a ring.
   *
   * @param file that it writes
   * @param takesOver whether a session in the way is stopped
   */
  Started start(BootRequest request, String file, boolean takesOver) {
    int mebibytes = request.session().mebibytes();
    return start(request, file, BUFFERS, SessionMode.CIRCULAR, mebibytes, takesOver);
  }

  /**
   * Starts one that keeps its last events in memory.
   *
   * @param mebibytes of memory
   * @param takesOver whether a session in the way is stopped
   */
  Started startInMemory(BootRequest request, int mebibytes, boolean takesOver) {
    Buffers all = new Buffers(BUFFERS.kibibytes(), mebibytes, mebibytes);
    return start(request, "", all, SessionMode.BUFFERING, 0, takesOver);
  }

  private Started start(
      BootRequest request,
      String file,
      Buffers buffers,
      int mode,
      int mebibytes,
      boolean takesOver) {
    return recorder.start(
        new KernelRequest(
            NAME,
            file,
            buffers,
            mode,
            mebibytes,
            request.session().groups(),
            request.session().stacks(),
            0),
        takesOver);
  }

  SessionState status(String name) {
    return recorder.status(named(name));
  }

  /** Returns the state of one; empty if none of that name runs. */
  Optional<SessionState> find(String name) {
    return recorder.find(named(name));
  }

  /** Stops one, and those that write the same recording; returns their last states. */
  List<SessionState> stop(String name) {
    List<SessionState> stopped = new ArrayList<>();
    stopped.add(recorder.stop(named(name)));
    Optional<String> stem = RecordedParts.stem(stopped.getFirst().file());
    if (stem.isPresent()) {
      for (SessionState other : recorder.all().sessions()) {
        if (RecordedParts.stem(other.file()).equals(stem)) {
          stopped.add(recorder.stop(other.name()));
        }
      }
    }
    return stopped;
  }

  /** Has the buffers of one written; returns whether it still runs. */
  boolean flush(String name) {
    return recorder.flush(named(name));
  }

  /** Has what one keeps in memory written to a file; returns its state. */
  SessionState snapshot(String name, String file) {
    return recorder.snapshot(named(name), file);
  }

  /** Marks a moment in one; returns its state. */
  SessionState mark(String name, String text) {
    return recorder.mark(named(name), text);
  }

  private String named(String name) {
    return name.isEmpty() ? recorder.session(NAME) : name;
  }

  Listing all() {
    return recorder.all();
  }
}
