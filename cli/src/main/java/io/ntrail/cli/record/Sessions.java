package io.ntrail.cli.record;

import io.ntrail.live.etw.KernelRecorder;
import io.ntrail.live.etw.MachineRegistry;
import io.ntrail.live.etw.SessionControl.Listing;
import io.ntrail.live.etw.SessionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Sessions of a Windows, by the words of the command line.
 *
 * @param recorder that makes the calls
 * @param starter of new sessions
 * @param registry of that Windows
 */
record Sessions(KernelRecorder recorder, SessionStarter starter, MachineRegistry registry) {
  /** Name of ntrail's session, where the version of Windows lets it have one. */
  static final String NAME = "ntrail";

  SessionState status(String name) {
    return recorder.status(named(name));
  }

  /** Returns the state of one, and those of the sessions that write the same recording. */
  List<SessionState> together(String name) {
    SessionState first = status(name);
    List<SessionState> all = new ArrayList<>(List.of(first));
    Optional<String> stem = RecordedParts.stem(first.file());
    if (stem.isPresent()) {
      recorder.all().sessions().stream()
          .filter(other ->
              !other.name().equals(first.name()) && RecordedParts.stem(other.file()).equals(stem))
          .forEach(all::add);
    }
    return all;
  }

  /** Returns the state of one; empty if none of that name runs. */
  Optional<SessionState> find(String name) {
    return recorder.find(named(name));
  }

  /**
   * Stops one, and those that write the same recording; returns their last states.
   *
   * @param missing is told what is missing in a recording
   */
  List<SessionState> stop(String name, Consumer<String> missing) {
    List<SessionState> stopped = new ArrayList<>();
    for (SessionState one : together(name)) {
      starter.rundown(one).ifPresent(missing);
      stopped.add(recorder.stop(one.name()));
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

  /** Returns the name, or that of ntrail's session: the kernel's, else that of providers. */
  private String named(String name) {
    if (!name.isEmpty()) {
      return name;
    }
    String kernel = recorder.session(NAME);
    boolean isUser =
        recorder.find(kernel).isEmpty() && recorder.find(SessionStarter.USER).isPresent();
    return isUser ? SessionStarter.USER : kernel;
  }

  Listing all() {
    return recorder.all();
  }
}
