package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.ArrayList;
import java.util.List;

/**
 * Access token of the process or of a thread (MINIDUMP_TOKEN_INFO_HEADER).
 *
 * @param owner id of the process or thread
 * @param handle address or handle of the token
 * @param data the rest, whose layout is not documented
 */
public record TokenInfo(long owner, long handle, Bytes data) {
  private static final int HEADER = 16;
  private static final int LEAST = 16;
  private static final int MOST = 1 << 17;

  /** Returns the tokens of a dump. */
  public static List<TokenInfo> of(Minidump dump) {
    List<TokenInfo> tokens = new ArrayList<>();
    dump.read(
        StreamType.TOKEN,
        0,
        bytes -> {
          read(dump, bytes, tokens);
          return 0;
        });
    return tokens;
  }

  private static void read(Minidump dump, Bytes bytes, List<TokenInfo> tokens) {
    long claimed = bytes.u32(4);
    long at = Math.max(HEADER, bytes.u32(8));
    for (long i = 0; i < Math.min(claimed, MOST); i++) {
      long size = at > bytes.length() - LEAST ? 0 : bytes.u32((int) at);
      if (size < LEAST || size > bytes.length() - at) {
        dump.reader()
            .gap(
                bytes.base() + Math.min(at, bytes.length()),
                -1,
                StreamType.TOKEN.title(),
                "it claims " + claimed + " tokens and ends after " + i);
        return;
      }
      int start = (int) at;
      tokens.add(
          new TokenInfo(
              bytes.u32(start + 4),
              bytes.i64(start + 8),
              bytes.slice(start + LEAST, (int) size - LEAST)));
      at += size;
    }
    dump.reader().checkEnd(bytes, StreamType.TOKEN.title(), at, LEAST, claimed);
  }
}
