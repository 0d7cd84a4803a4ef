package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.capture.CapturedThread.Range;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Memory of a process of which ranges were copied at certain instants: those, and behind them the
 * rest. Of ranges that overlap the first one counts.
 */
final class CopiedMemory implements AddressSpace {
  private final NavigableMap<Long, Range> copied = new TreeMap<>(Long::compareUnsigned);
  private final AddressSpace rest;

  CopiedMemory(List<Range> ranges, AddressSpace rest) {
    this.rest = rest;
    ranges.forEach(range -> copied.putIfAbsent(range.address(), range));
  }

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
    Map.Entry<Long, Range> before = copied.floorEntry(address);
    if (before != null && before.getValue().contains(address)) {
      Bytes bytes = before.getValue().bytes();
      int at = (int) (address - before.getKey());
      return bytes.slice(at, Math.min(most, bytes.length() - at));
    }
    Long next = copied.higherKey(address);
    long left = next == null ? most : Math.min(most, next - address);
    return rest.readUpTo(address, left < 0 ? most : (int) left);
  }
}
