package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.etl.EtlFileWriter;
import io.ntrail.formats.etl.HeaderChanges;
import io.ntrail.formats.etl.LogFileHeader;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Header of a recording that is made of several files. */
final class MergedHeader {
  private MergedHeader() {}

  /**
   * Returns the header's fields that differ from those of the first file.
   *
   * @param isCompressed true if buffers are compressed
   * @param rewriter of the names
   */
  static HeaderChanges of(EtwRecording recording, boolean isCompressed, RecordRewriter rewriter) {
    Set<String> sessions = new LinkedHashSet<>();
    Set<String> names = new LinkedHashSet<>();
    long end = 0;
    boolean isFinal = true;
    long processors = 0;
    long events = 0;
    long buffers = 0;
    // Who reads it must not take the number of a buffer for that of a processor.
    boolean isOneStream = true;
    List<LogFileHeader> headers = new ArrayList<>();
    recording.files().forEach(file -> file.header().ifPresent(headers::add));
    for (LogFileHeader header : headers) {
      sessions.add(header.sessionName());
      names.add(header.logFileName());
      end = Math.max(end, header.endTime());
      isFinal &= header.finalised();
      isOneStream &=
          (header.logFileMode() & LogFileHeader.EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING) != 0;
      processors = Math.max(processors, header.processors());
      events += header.eventsLost();
      buffers += header.buffersLost();
    }
    sessions.remove("");
    return new HeaderChanges(
        EtlFileWriter.RELOGGED
            | (isCompressed ? EtlFileWriter.COMPRESSED_MODE : 0)
            | (isOneStream ? LogFileHeader.EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING : 0),
        isFinal ? end : 0,
        processors,
        events,
        buffers,
        rewriter.rewrite(String.join(" + ", sessions)),
        headers.size() == 1 ? rewriter.rewrite(names.iterator().next()) : "[multiple files]");
  }
}
