package io.ntrail.testkit.pdb;

import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
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

  /** A container whose streams lie one behind the other. */
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
    int payload = streams.stream().mapToInt(s -> s == null ? 0 : blocks(s.length)).sum();
    int directoryBytes = 4 + 4 * streams.size() + 4 * payload;
    int directoryBlocks = blocks(directoryBytes);
    int mapBlocks = blocks(4 * directoryBlocks);
    List<Integer> free = new ArrayList<>();
    for (int block = 3; free.size() < payload + directoryBlocks + mapBlocks; block++) {
      // Two blocks of every interval are the maps of free blocks.
      if (block % blockSize != 1 && block % blockSize != 2) {
        free.add(block);
      }
    }
    int blockCount = free.getLast() + 1;
    if (order != null) {
      Collections.shuffle(free, order);
    }
    byte[] file = new byte[blockCount * blockSize];
    int next = 0;
    LittleEndian directory = new LittleEndian().u32(streams.size());
    for (byte[] stream : streams) {
      directory.u32(stream == null ? -1 : stream.length);
    }
    for (byte[] stream : streams) {
      for (int at = 0; stream != null && at < stream.length; at += blockSize) {
        int block = free.get(next++);
        directory.u32(block);
        System.arraycopy(
            stream, at, file, block * blockSize, Math.min(blockSize, stream.length - at));
      }
    }
    LittleEndian map = new LittleEndian();
    next = put(directory.toByteArray(), file, free, next, map);
    LittleEndian superblock =
        new LittleEndian()
            .bytes(MAGIC)
            .u32(blockSize)
            .u32(1)
            .u32(blockCount)
            .u32(directoryBytes)
            .u32(0);
    put(map.toByteArray(), file, free, next, superblock);
    superblock.copyTo(file, 0);
    return file;
  }

  /** Puts bytes into free blocks, and the numbers of these into a list. */
  private int put(byte[] bytes, byte[] file, List<Integer> free, int first, LittleEndian list) {
    int next = first;
    for (int at = 0; at < bytes.length; at += blockSize) {
      int block = free.get(next++);
      list.u32(block);
      System.arraycopy(bytes, at, file, block * blockSize, Math.min(blockSize, bytes.length - at));
    }
    return next;
  }
}
