package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Streams that are texts: comments of the writer, files of Linux. */
public final class DumpTexts {
  /** Bytes of a text that are read. */
  private static final int MOST = 1 << 20;

  private DumpTexts() {}

  /** Returns the comments of a dump, 8-bit ones first; those of ProcDump say why it was written. */
  public static List<String> comments(Minidump dump) {
    List<String> comments = new ArrayList<>();
    dump.stream(StreamType.COMMENT_A)
        .map(stream -> head(dump.reader().bytes(stream)))
        .map(bytes -> bytes.latin1z(0, bytes.length()))
        .ifPresent(comments::add);
    dump.stream(StreamType.COMMENT_W)
        .map(stream -> head(dump.reader().bytes(stream)))
        .map(bytes -> bytes.utf16z(0, bytes.length()))
        .ifPresent(comments::add);
    comments.removeIf(String::isEmpty);
    return comments;
  }

  /** Returns a stream that holds text of Linux; its zeros separate as they do there. */
  public static Optional<String> linux(Minidump dump, StreamType type) {
    return dump.stream(type)
        .map(stream -> head(dump.reader().bytes(stream)))
        .map(bytes -> new String(bytes.array(0, bytes.length()), StandardCharsets.UTF_8));
  }

  private static Bytes head(Bytes bytes) {
    return bytes.slice(0, Math.min(MOST, bytes.length()));
  }
}
