package io.ntrail.live.session;

import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.live.code.ArgumentCopies;
import io.ntrail.live.code.ArgumentCopies.Copy;
import io.ntrail.live.code.SessionLayout;
import java.io.IOException;
import java.util.List;

/** Writes the memory that arguments pointed to in front of the entries whose records have it. */
final class RecordedCopies {
  private static final int WORD = Long.BYTES;

  /** Words of an event: how many bytes, and these. */
  private static final int MOST_WORDS = 32;

  private static final int MOST_BYTES = WORD * (MOST_WORDS - 1);

  private final List<Copy> copies;
  private final RecorderDiagnostics remarks;
  private final long[] values = new long[MOST_WORDS];

  RecordedCopies(ArgumentCopies copies, RecorderDiagnostics remarks) {
    this.copies = copies.copies();
    this.remarks = remarks;
  }

  /**
   * Writes the copies of an entry.
   *
   * @param words of records
   * @param at where that of the entry begins
   * @param pointer the bits that an address can have
   * @return how many events that are
   */
  int write(
      long[] words, int at, long pointer, long function, int area, int slot, ThreadEventWriter to)
      throws IOException {
    int events = 0;
    int place = at + SessionLayout.RECORD_COPIES / WORD;
    for (int i = 0; i < copies.size(); i++) {
      Copy copy = copies.get(i);
      long address =
          words[at + SessionLayout.RECORD_ARGUMENTS / WORD + copy.argument()] + copy.offset();
      long said = words[place];
      int length = said >= 0 && said <= copy.length() ? (int) said : 0;
      if (length != said) {
        remarks.damaged("copy of %d bytes where %d were asked for", said, copy.length());
      }
      int first = place + SessionLayout.COPY_HEAD / WORD;
      int done = 0;
      do {
        int part = Math.min(length - done, MOST_BYTES);
        int count = (part + WORD - 1) / WORD;
        values[0] = part;
        System.arraycopy(words, first + done / WORD, values, 1, count);
        if (part % WORD != 0) {
          // What lies behind the last byte is none of it.
          values[count] &= (1L << 8 * (part % WORD)) - 1;
        }
        to.other(
            EventKind.MEMORY,
            words[at],
            function,
            area,
            slot,
            words[at + SessionLayout.RECORD_KEY / WORD] & pointer,
            address + done & pointer,
            values,
            1 + count);
        events++;
        done += part;
      } while (done < length);
      place += copy.recordBytes() / WORD;
    }
    return events;
  }
}
