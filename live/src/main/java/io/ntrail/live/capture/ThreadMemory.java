package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.capture.CapturedThread.Range;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Memory as a thread sees it: what was copied while it was suspended, and behind that the rest. */
record ThreadMemory(List<Range> copied, AddressSpace rest) implements AddressSpace {
  @Override
  public String name() {
    return rest.name();
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return rest.regionAt(address);
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    Bytes first = piece(address, most);
    if (first.length() == most || first.length() == 0) {
      return first;
    }
    List<byte[]> pieces = new ArrayList<>();
    int done = 0;
    for (Bytes piece = first; piece.length() > 0; piece = piece(address + done, most - done)) {
      pieces.add(piece.array(0, piece.length()));
      done += piece.length();
    }
    return Bytes.joined(pieces, name());
  }

  /** Returns bytes of one source, at least one unless the first cannot be read. */
  private Bytes piece(long address, int most) {
    Range range = range(address);
    if (range != null) {
      int at = (int) (address - range.address());
      return range.bytes().slice(at, Math.min(most, range.bytes().length() - at));
    }
    long border = address + most;
    for (Range one : copied) {
      if (one.address() - address > 0 && one.address() - border < 0) {
        border = one.address();
      }
    }
    return rest.readUpTo(address, (int) (border - address));
  }

  private @Nullable Range range(long address) {
    for (Range range : copied) {
      if (range.contains(address)) {
        return range;
      }
    }
    return null;
  }
}
