package io.ntrail.cli.record;

import io.ntrail.live.consumer.EventConsumer;
import io.ntrail.live.etw.KernelRecorder;
import io.ntrail.live.etw.KernelRecorder.Flushed;
import io.ntrail.live.etw.MachineRegistry;
import io.ntrail.live.etw.SessionControl.Listing;
import io.ntrail.live.etw.SessionState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Sessions of a Windows, by the words of the command line.
 *
 * @param recorder that makes the calls
 * @param starter of new sessions
 * @param registry of that Windows
 * @param consumers opens a session by its name
 */
record Sessions(
    KernelRecorder recorder,
    SessionStarter starter,
    MachineRegistry registry,
    Function<String, EventConsumer> consumers) {
  /** Name of ntrail's session, where the version of Windows lets it have one. */
  static final String NAME = "ntrail";

  SessionState status(String name) {
    return recorder.status(named(name));
  }

  /**
   * Returns the state of one, and those of the sessions that write the same recording, or are
   * ntrail's and in memory as this one is.
   */
  List<SessionState> together(String name) {
    SessionState first = status(name);
    Optional<String> stem =
        first.isInMemory() ? Optional.empty() : RecordedParts.stem(first.file());
    List<SessionState> all = new ArrayList<>(List.of(first));
    if (stem.isPresent() || first.isInMemory() && own().contains(first.name())) {
      others(first).stream()
          .filter(other ->
              stem.isPresent()
                  ? RecordedParts.stem(other.file()).equals(stem)
                  : other.isInMemory() && own().contains(other.name()))
          .forEach(all::add);
    }
    return all;
  }

  /** Returns the names that ntrail's sessions have here. */
  private List<String> own() {
    return List.of(recorder.session(NAME), SessionStarter.USER, SessionStarter.HEAP);
  }

  private List<SessionState> others(SessionState first) {
    Map<String, SessionState> others = new LinkedHashMap<>();
    recorder.all().sessions().forEach(other -> others.put(other.name(), other));
    // A listing may not have all: Windows can have more sessions than it has room for.
    for (String name : own()) {
      if (!others.containsKey(name)) {
        recorder.find(name).ifPresent(found -> others.put(name, found));
      }
    }
    others.remove(first.name());
    return List.copyOf(others.values());
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
      if (!one.isInMemory()) {
        starter.captured(one).forEach(missing);
        starter.rundown(one).ifPresent(missing);
      }
      stopped.add(recorder.stop(one.name()));
      starter.ended(one.name());
    }
    return stopped;
  }

  /** Opens one that hands its events out. */
  EventConsumer consumer(String name) {
    return consumers.apply(named(name));
  }

  /** Has the buffers of one written. */
  Flushed flush(String name) {
    return recorder.flush(named(name));
  }

  /**
   * Has what one keeps in memory written, and what those beside it keep; returns their states.
   *
   * @param file returns the file of a session
   * @param missing is told what is missing in it
   */
  List<SessionState> snapshot(
      String name, Function<SessionState, String> file, Consumer<String> missing) {
    List<SessionState> written = new ArrayList<>();
    for (SessionState one : together(name)) {
      if (one.isInMemory()) {
        runDown(one, missing);
      }
      written.add(recorder.snapshot(one.name(), file.apply(one)));
    }
    return written;
  }

  private void runDown(SessionState one, Consumer<String> missing) {
    if (one.isKernel() && !recorder.rundown(one)) {
      missing.accept(
          "Windows refused a list of processes and images: those from before what is in memory may"
              + " have no names");
    }
    starter.captured(one).forEach(missing);
    starter.rundown(one).ifPresent(missing);
  }

  /** Marks a moment in one; returns its state. */
  SessionState mark(String name, String text) {
    return recorder.mark(named(name), text);
  }

  /** Returns the name, or that of ntrail's session: the kernel's, else providers', else heaps'. */
  private String named(String name) {
    if (!name.isEmpty()) {
      return name;
    }
    String kernel = recorder.session(NAME);
    return Stream.of(kernel, SessionStarter.USER, SessionStarter.HEAP)
        .filter(one -> recorder.find(one).isPresent())
        .findFirst()
        .orElse(kernel);
  }

  Listing all() {
    return recorder.all();
  }
}
