package io.ntrail.testkit.pdb;

import io.ntrail.testkit.LittleEndian;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Writes MSF 7 containers, with blocks in any order: written from the description of the format,
 * apart from the reader. The maps of free blocks, which readers do not need, are left empty.
 */
public final class MsfWriter {
  private static final byte[] MAGIC =
      "Microsoft C/C++ MSF 7.00\r\n\u001ADS\0\0\0".getBytes(StandardCharsets.ISO_8859_1);

  private final int blockSize;
  private final @Nullable Random order;
  private final List<byte @Nullable []> streams = new ArrayList<>();

  /** A container whose streams lie one after the other. */
  public MsfWriter(int blockSize) {
    this(blockSize, null);
  }

  /**
   * A container.
   *
   * @param order puts the blocks in disorder; null leaves them in order
   */
  public MsfWriter(int blockSize, @Nullable Random order) {
    this.blockSize = blockSize;
    this.order = order;
  }

  /** Adds a stream; null is one that is nil. */
  public MsfWriter stream(byte @Nullable [] bytes) {
    streams.add(bytes == null ? null : bytes.clone());
    return this;
  }

  /** Adds empty streams until there are so many. */
  public MsfWriter upTo(int count) {
    while (streams.size() < count) {
      streams.add(new byte[0]);
    }
    return this;
  }

  private int blocks(int bytes) {
    return (bytes + blockSize - 1) / blockSize;
  }

  /** The file. */
  public byte[] write() {
    List<Integer> free = free(0);
    byte[] file = new byte[(Collections.max(free) + 1) * blockSize];
    write(
        free,
        (block, bytes, at, length) ->
            System.arraycopy(bytes, at, file, (int) (block * blockSize), length));
    return file;
  }

  /**
   * Writes a file whose streams and directory begin after so many blocks that take no room on the
   * disk: for files that are larger than what is in them.
   */
  public void writeSparse(Path path, int firstBlock) throws IOException {
    List<Integer> free = free(firstBlock);
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength((Collections.max(free) + 1L) * blockSize);
      write(
          free,
          (block, bytes, at, length) -> {
            file.seek(block * blockSize);
            file.write(bytes, at, length);
          });
    }
  }

  /** Destination of bytes. */
  private interface Target<E extends Exception> {
    void put(long block, byte[] bytes, int at, int length) throws E;
  }

  private int payload() {
    return streams.stream().mapToInt(s -> s == null ? 0 : blocks(s.length)).sum();
  }

  private int directoryBytes() {
    return 4 + 4 * streams.size() + 4 * payload();
  }

  /** Blocks for everything but the superblock. */
  private List<Integer> free(int firstBlock) {
    int directoryBlocks = blocks(directoryBytes());
    int needed = payload() + directoryBlocks + blocks(4 * directoryBlocks);
    List<Integer> free = new ArrayList<>();
    for (int block = Math.max(3, firstBlock); free.size() < needed; block++) {
      // Two blocks of every interval are the maps of free blocks.
      if (block % blockSize != 1 && block % blockSize != 2) {
        free.add(block);
      }
    }
    return free;
  }

  private <E extends Exception> void write(List<Integer> free, Target<E> target) throws E {
    int blockCount = Collections.max(free) + 1;
    if (order != null) {
      Collections.shuffle(free, order);
    }
    int next = 0;
    LittleEndian directory = new LittleEndian().u32(streams.size());
    for (byte[] stream : streams) {
      directory.u32(stream == null ? -1 : stream.length);
    }
    for (byte[] stream : streams) {
      if (stream != null) {
        next = put(stream, target, free, next, directory);
      }
    }
    LittleEndian map = new LittleEndian();
    next = put(directory.toByteArray(), target, free, next, map);
    LittleEndian superblock =
        new LittleEndian()
            .bytes(MAGIC)
            .u32(blockSize)
            .u32(1)
            .u32(blockCount)
            .u32(directoryBytes())
            .u32(0);
    put(map.toByteArray(), target, free, next, superblock);
    target.put(0, superblock.toByteArray(), 0, superblock.size());
  }

  /** Puts bytes into free blocks, and the numbers of these into a list. */
  private <E extends Exception> int put(
      byte[] bytes, Target<E> target, List<Integer> free, int first, LittleEndian list) throws E {
    int next = first;
    for (int at = 0; at < bytes.length; at += blockSize) {
      int block = free.get(next++);
      list.u32(block);
      target.put(block, bytes, at, Math.min(blockSize, bytes.length - at));
    }
    return next;
  }
}
