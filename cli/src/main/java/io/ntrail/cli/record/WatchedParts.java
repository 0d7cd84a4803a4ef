package io.ntrail.cli.record;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.RecordingCut;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.events.NewEvents;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.TemporaryFile;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parts of a session's events, printed one after the other. What earlier parts tell of processes,
 * threads and images is kept in a small recording of its own.
 */
final class WatchedParts implements AutoCloseable {
  private final NewEvents lines;

  /** Facts of the machine so far; the file never gets the place that it is beside. */
  private Optional<OutputFile> known = Optional.empty();

  /**
   * Prints parts.
   *
   * @param filter of events that are printed
   * @param format text or JSON Lines
   */
  WatchedParts(EventFilter filter, Format format, Terminal terminal) {
    this.lines = new NewEvents(filter, format, terminal);
  }

  /**
   * Prints a part, a recording of its own.
   *
   * @param name of the session's file, or of the session
   * @param most events
   * @return the number of events
   */
  long print(byte[] part, String name, long most) throws IOException {
    List<InputFile> inputs = new ArrayList<>();
    if (known.isPresent()) {
      inputs.add(InputFile.map(known.get().unfinished(), name));
    }
    inputs.add(InputFile.of(part, name));
    long printed;
    OutputFile next = OutputFile.reserve(TemporaryFile.folder().resolve("ntrail-watch.etl"), "");
    try (EtwRecording recording = EtwRecording.of(inputs)) {
      printed = most > 0 ? lines.print(recording, most) : 0;
      keep(recording, next);
    }
    close();
    known = Optional.of(next);
    return printed;
  }

  /** Writes what later parts need to be understood. */
  private static void keep(EtwRecording recording, OutputFile file) throws IOException {
    SchemaSources sources = new SchemaSources(UserSchemas.NONE);
    Events events = Events.of(recording, sources, 1, Events.Learn.SWITCHES);
    try (SeekableByteChannel channel = file.openChannel()) {
      RecordingCut.machineFacts(events, channel);
    }
  }

  @Override
  public void close() {
    known.ifPresent(OutputFile::close);
  }
}
