package io.ntrail.live.patch;

import io.ntrail.live.windows.PreparedWrites;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.TargetMemory.Pages;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a target that are changed together: read with few calls, changed here, and written back.
 *
 * <p>All but {@link #write} can be done before threads are stopped.
 */
public final class PatchPages {
  private final TargetMemory memory;
  private final CodePages pages;
  private List<Pages> before = List.of();
  private @Nullable PreparedWrites writes;

  public PatchPages(TargetMemory memory) {
    this.memory = memory;
    this.pages = new CodePages(memory::readUpTo, memory::regionEnd);
  }

  /** Adds a range that will be changed. */
  public void touch(long address, int length) {
    pages.touch(address, length);
  }

  /**
   * Reads all touched pages. Pages that are made writable together have the same protection: pages
   * of another section are never touched.
   */
  public void read() {
    pages.read();
  }

  /** Returns bytes as they will be. */
  public byte[] get(long address, int length) {
    return pages.get(address, length);
  }

  /** Changes bytes. */
  public void put(long address, byte[] bytes) {
    pages.put(address, bytes);
  }

  /** Returns the pages as they are changed here. */
  CodePages pages() {
    return pages;
  }

  /** Makes all pages writable and prepares the changes; no further ones can be made. */
  public void open() {
    openAsRead();
    writes =
        memory.prepare(
            pages.runs().stream()
                .map(run -> new PreparedWrites.Write(run.begin(), run.read(), run.bytes()))
                .toList());
  }

  /** Makes all pages writable for another writer. */
  void openAsRead() {
    before =
        memory.protect(
            pages.runs().stream()
                .map(run ->
                    new Pages(run.begin(), run.bytes().length, TargetMemory.EXECUTE_READ_WRITE))
                .toList());
  }

  /**
   * Writes all changes.
   *
   * @return false if something is not as it was read; then nothing is written
   */
  public boolean write() {
    if (writes == null || !writes.isStill()) {
      return false;
    }
    writes.write();
    return true;
  }

  /** Restores the protection of all pages. */
  public void close() {
    if (writes != null) {
      writes.close();
      writes = null;
    }
    if (!before.isEmpty()) {
      memory.restore(before);
      before = List.of();
    }
  }
}
