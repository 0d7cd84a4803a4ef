package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.NativeBuffer;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import java.util.Arrays;
import java.util.Optional;

/** Copy of the stack of a processor elsewhere, which follows its writes and can undo them. */
final class StackMirror implements AddressSpace, AutoCloseable {
  private final long start;
  private final int size;
  private final NativeBuffer bytes;
  private final Bytes view;

  /** Offset and old value of each byte that was changed. */
  private int[] changes = new int[1024];

  private int changed;

  StackMirror(long start, int size) {
    this.start = start;
    this.size = size;
    this.bytes = new NativeBuffer(size);
    this.view = bytes.view(size, "stack", 0);
  }

  /** Follows a write; what is elsewhere is ignored. */
  void write(long address, int length, long value) {
    long at = address - start;
    for (int i = 0; i < length; i++, at++) {
      if (at >= 0 && at < size) {
        if (changed + 2 > changes.length) {
          changes = Arrays.copyOf(changes, 2 * changes.length);
        }
        changes[changed++] = (int) at;
        changes[changed++] = view.u8((int) at);
        bytes.put((int) at, (int) (value >>> 8 * i));
      }
    }
  }

  /** Returns the point in time that {@link #undo} goes back to. */
  int mark() {
    return changed;
  }

  void undo(int mark) {
    while (changed > mark) {
      changed -= 2;
      bytes.put(changes[changed], changes[changed + 1]);
    }
  }

  @Override
  public String name() {
    return "stack";
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    long at = address - start;
    return at < 0 || at >= size
        ? view.slice(0, 0)
        : view.slice((int) at, (int) Math.min(most, size - at));
  }

  @Override
  public void close() {
    bytes.close();
  }
}
