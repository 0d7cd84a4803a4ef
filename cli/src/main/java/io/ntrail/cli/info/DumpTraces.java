package io.ntrail.cli.info;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.DumpStream;
import io.ntrail.formats.dump.StreamType;
import io.ntrail.formats.pt.IptThreadTrace;
import io.ntrail.formats.pt.IptTraceData;
import io.ntrail.formats.pt.PieceContent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Processor Trace in a dump: stream 23. How it is laid out is not published; it is read as what
 * ipt.sys gives, rings of threads, and else as one stream of packets.
 *
 * @param bytes of the stream
 * @param hasThreads whether it has headers of threads
 * @param traces in the order of the dump; of one stream of packets, one
 */
record DumpTraces(long bytes, boolean hasThreads, List<Trace> traces) {
  /**
   * Trace of one thread.
   *
   * @param tid empty if the stream names no thread
   * @param bytes of its ring
   */
  record Trace(OptionalLong tid, long bytes, PieceContent content) {}

  /** Reads the traces of a dump; empty if there are none. What is damaged is a gap of the dump. */
  static Optional<DumpTraces> of(DumpRecording dump) {
    Optional<InputFile> copied = dump.dump().copy(StreamType.IPT_TRACE);
    if (copied.isEmpty()) {
      return Optional.empty();
    }
    try (InputFile stream = copied.get()) {
      List<Trace> traces = new ArrayList<>();
      boolean hasThreads = IptTraceData.looksLike(stream);
      if (hasThreads) {
        Gaps found = new Gaps();
        for (IptThreadTrace thread : IptTraceData.of(stream, found).threads()) {
          try (InputFile ring = thread.inOrder(stream)) {
            traces.add(
                new Trace(
                    OptionalLong.of(thread.threadId()), thread.ringBytes(), PieceContent.of(ring)));
          }
        }
        long at = dump.dump().stream(StreamType.IPT_TRACE).map(DumpStream::offset).orElse(0L);
        for (Gap gap : found.list()) {
          dump.dump().reader().gap(at + gap.offset(), gap.bytes(), gap.what(), gap.why());
        }
      } else {
        traces.add(new Trace(OptionalLong.empty(), stream.size(), PieceContent.of(stream)));
      }
      return Optional.of(new DumpTraces(stream.size(), hasThreads, List.copyOf(traces)));
    }
  }

  /** Returns it in a line. */
  String text() {
    long useless = traces.stream().filter(trace -> !trace.content().isSynchronised()).count();
    return "Processor Trace"
        + (hasThreads ? " of " + Numbers.counted(traces.size(), "thread") : "")
        + ", "
        + Numbers.bytes(bytes)
        + (useless == 0
            ? ""
            : hasThreads
                ? ", " + Numbers.count(useless) + " without PSB cannot be decoded"
                : ", without PSB: cannot be decoded")
        + " (ntrail pt packets)";
  }

  /** Writes it as a member. */
  void json(Json json) {
    json.object("processorTrace").number("bytes", bytes).array("traces");
    for (Trace trace : traces) {
      json.object();
      if (trace.tid().isPresent()) {
        json.number("tid", trace.tid().getAsLong());
      } else {
        json.unknown("tid");
      }
      json.number("bytes", trace.bytes())
          .bool("synchronised", trace.content().isSynchronised())
          .text("timing", trace.content().timing().word())
          .endObject();
    }
    json.endArray().endObject();
  }
}
