package io.ntrail.programs.services;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.CodeRanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Finds KiServicesTab, which no symbol and no directory of a kernel refers to: an array of records
 * of 16 bytes {u32 hash of the name, u32 arguments, u64 address of the service}, aligned by 8.
 *
 * <p>A record counts if its address is in executable code and its arguments are few. The table is
 * the run of such records in which most hashes are those of known services; records with an unknown
 * hash, of services that are newer than the list of names, may be anywhere in it.
 */
final class ServicesTab {
  private static final int RECORD = 16;

  /** Fewer known services make no table: it has some hundreds. */
  private static final int FEWEST_KNOWN = 16;

  /** A table half of whose records are unknown is another one. */
  private static final int KNOWN_OF = 2;

  /** More services than numbers have places for. */
  private static final int MOST = 4096;

  private static final int MOST_ARGUMENTS = 32;

  /** Bits of a hash that a look into the filter compares: 64 Ki places. */
  private static final int FILTER_SHIFT = 16;

  private final PeImage image;
  private final CodeRanges code;
  private final ServiceNames names;
  private final int[] hashes;
  private final long[] filter = new long[1 << 32 - FILTER_SHIFT - 6];

  /** A run of records. */
  private record Run(Bytes bytes, int from, int count, int known) {}

  private ServicesTab(PeImage image, ServiceNames names) {
    this.image = image;
    this.code = CodeRanges.of(image);
    this.names = names;
    this.hashes = names.hashes();
    Arrays.sort(hashes);
    for (int hash : hashes) {
      int place = hash >>> FILTER_SHIFT;
      filter[place >> 6] |= 1L << place;
    }
  }

  /** The services of the table in its order; empty if the image has none. */
  static Optional<List<SystemService>> find(PeImage image, ServiceNames names) {
    return image.headers().isWide()
        ? Optional.ofNullable(new ServicesTab(image, names).best())
        : Optional.empty();
  }

  private @Nullable List<SystemService> best() {
    Run best = null;
    for (Extent extent : image.view().extents()) {
      Run run = best(extent);
      if (run != null && (best == null || run.known > best.known)) {
        best = run;
      }
    }
    return best == null ? null : services(best);
  }

  private @Nullable Run best(Extent extent) {
    Bytes bytes = extent.stored();
    Run best = null;
    int start = (int) (-extent.rva() & 7);
    int end = (int) extent.storedLength() - RECORD;
    // Records at one of two distances from a multiple of 16: each run is looked at once.
    int[] behind = {start, start};
    for (int at = start; at <= end; at += 8) {
      int phase = (at - start) / 8 & 1;
      if (at >= behind[phase] && isKnown(bytes.i32(at)) && isRecord(bytes, at)) {
        Run run = around(bytes, at, behind[phase], end);
        behind[phase] = run.from + run.count * RECORD;
        if (run.known >= FEWEST_KNOWN
            && run.known * KNOWN_OF >= run.count
            && (best == null || run.known > best.known)) {
          best = run;
        }
      }
    }
    return best;
  }

  private Run around(Bytes bytes, int at, int first, int last) {
    int from = at;
    int count = 1;
    while (count < MOST && from - RECORD >= first && isRecord(bytes, from - RECORD)) {
      from -= RECORD;
      count++;
    }
    while (count < MOST
        && from + (long) count * RECORD <= last
        && isRecord(bytes, from + count * RECORD)) {
      count++;
    }
    // The same record a hundred times is not a table.
    LongSet known = new LongSet();
    for (int i = 0; i < count; i++) {
      int hash = bytes.i32(from + i * RECORD);
      if (isKnown(hash)) {
        known.add(hash);
      }
    }
    return new Run(bytes, from, count, known.size());
  }

  private boolean isKnown(int hash) {
    int place = hash >>> FILTER_SHIFT;
    return (filter[place >> 6] >>> place & 1) != 0 && Arrays.binarySearch(hashes, hash) >= 0;
  }

  private boolean isRecord(Bytes bytes, int at) {
    int arguments = bytes.i32(at + 4);
    return arguments >= 0
        && arguments <= MOST_ARGUMENTS
        && code.contains(image.rva(bytes.i64(at + 8)));
  }

  private List<SystemService> services(Run run) {
    List<SystemService> list = new ArrayList<>(run.count);
    for (int i = 0; i < run.count; i++) {
      int at = run.from + i * RECORD;
      int hash = run.bytes.i32(at);
      list.add(
          new SystemService(
              i,
              OptionalInt.of(hash),
              OptionalInt.of(run.bytes.i32(at + 4)),
              image.rva(run.bytes.i64(at + 8)),
              names.name(hash)));
    }
    return List.copyOf(list);
  }
}
