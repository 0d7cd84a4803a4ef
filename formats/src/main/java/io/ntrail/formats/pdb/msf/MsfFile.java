package io.ntrail.formats.pdb.msf;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.FileSignature;
import java.util.Optional;

/**
 * The container of a PDB: superblock, directory and streams.
 *
 * <p>Block sizes from 512 to 65,536 are supported, and files of any size: positions in the file are
 * 64-bit numbers. Together the streams can be no larger than the file, since a block belongs to one
 * stream; a directory that exceeds this is damaged from the first stream on that does not fit. May
 * be used by several threads.
 */
public final class MsfFile {
  private static final int SUPERBLOCK = 52;
  private static final int SMALLEST = 512;
  private static final int LARGEST = 0x1_0000;
  private static final long NIL = 0xFFFF_FFFFL;

  private final InputFile file;
  private final int blockSize;
  private final long blockCount;
  private final MsfStream directory;
  private final int[] sizes;

  /** Offsets in the directory of the block numbers of each stream. */
  private final long[] lists;

  /** The first stream that has no room in the file any more. */
  private final int firstWithoutRoom;

  private MsfFile(InputFile file, int blockSize, long blockCount, MsfStream directory) {
    this.file = file;
    this.blockSize = blockSize;
    this.blockCount = blockCount;
    this.directory = directory;
    long count = directory.length() < 4 ? 0 : directory.u32(0);
    if (count > (directory.length() - 4) / 4 || count == 0) {
      throw damaged(
          file,
          "its directory of "
              + directory.length()
              + " bytes has no room for "
              + count
              + " streams");
    }
    Bytes table = directory.window(4, (int) (4 * count));
    this.sizes = new int[(int) count];
    this.lists = new long[(int) count];
    long at = 4 + 4 * count;
    long used = 0;
    int fitting = 0;
    for (int i = 0; i < count; i++) {
      sizes[i] = table.i32(4 * i);
      lists[i] = at;
      long blocks = blocks(size(i));
      at += 4 * blocks;
      used += i == 0 ? 0 : blocks;
      if (used <= blockCount && at <= directory.length()) {
        fitting = i + 1;
      } else {
        // What follows is not trusted either: its list of blocks would lie anywhere.
        break;
      }
    }
    this.firstWithoutRoom = fitting;
  }

  /**
   * Reads superblock and directory. The input must stay open as long as streams are used.
   *
   * @throws CannotGoOn if it is not an MSF 7 file, or its directory cannot be read
   */
  public static MsfFile open(InputFile file) {
    refuseOthers(file);
    if (file.size() < SUPERBLOCK + 4) {
      throw damaged(file, "it ends after " + file.size() + " bytes, inside the superblock");
    }
    Bytes superblock = file.window(0, SUPERBLOCK);
    long blockSize = superblock.u32(32);
    if (blockSize < SMALLEST || blockSize > LARGEST || Long.bitCount(blockSize) != 1) {
      throw damaged(file, "invalid block size " + blockSize);
    }
    long stored = (file.size() + blockSize - 1) / blockSize;
    long blockCount = Math.min(superblock.u32(40), stored);
    long directoryBytes = superblock.u32(44);
    if (directoryBytes == NIL || directoryBytes < 4 || directoryBytes > blockCount * blockSize) {
      throw damaged(
          file,
          "its directory claims " + directoryBytes + " bytes, but the file has " + file.size());
    }
    try {
      MsfStream directory = directory(file, (int) blockSize, blockCount, directoryBytes);
      return new MsfFile(file, (int) blockSize, blockCount, directory);
    } catch (DamagedInput e) {
      throw damaged(file, "its directory cannot be read: " + e.what());
    }
  }

  /**
   * Refuses the beginning of a file that is not in this container.
   *
   * @throws CannotGoOn with what it is instead
   */
  public static void refuseOthers(InputFile head) {
    FileSignature signature = FileSignature.of(head);
    if (signature != FileSignature.MSF_7) {
      throw refusal(head.name(), signature);
    }
  }

  /** Returns the directory; the numbers of the map's blocks follow the superblock, in its block. */
  private static MsfStream directory(
      InputFile file, int blockSize, long blockCount, long directoryBytes) {
    long mapBytes = 4 * ((directoryBytes + blockSize - 1) / blockSize);
    int mapBlocks = (int) ((mapBytes + blockSize - 1) / blockSize);
    if (SUPERBLOCK + 4L * mapBlocks > blockSize) {
      throw new DamagedInput(
          file.name(), SUPERBLOCK, "the map of the directory needs " + mapBlocks + " blocks");
    }
    Bytes numbers = file.window(SUPERBLOCK, 4 * mapBlocks);
    MsfStream map = new MsfStream(file, MsfStream.MAP, blockSize, blockCount, numbers, mapBytes);
    Bytes list = map.window(0, (int) mapBytes);
    return new MsfStream(file, MsfStream.DIRECTORY, blockSize, blockCount, list, directoryBytes);
  }

  private static CannotGoOn refusal(String name, FileSignature signature) {
    String noun = signature.noun();
    String what =
        switch (signature) {
          case EMPTY, MSF_2, PORTABLE_PDB -> noun;
          case MSFZ -> noun + ", which is not supported yet";
          case UNKNOWN, TEXT, OTHER_PDB -> "not a PDB";
          default -> noun + ", not a PDB";
        };
    String nextStep =
        switch (signature) {
          case MSF_2 -> "build the program with Visual C++ 7 or newer";
          case MSFZ ->
              "ask the symbol server for the plain PDB, or expand it with Microsoft's tools";
          case PORTABLE_PDB -> "name the PDB of a native program";
          case CABINET -> "unpack it (cabextract, expand) and name the PDB in it";
          case IMAGE -> "name the PDB that belongs to it";
          case XML, WEB_PAGE, JSON, EMPTY -> "delete it, and get the PDB again";
          default -> "";
        };
    Reason reason = signature == FileSignature.EMPTY ? Reason.EMPTY : Reason.OTHER_KIND;
    return CannotGoOn.of(reason, name, name + " is " + what, nextStep);
  }

  /** Returns the refusal of a PDB of which nothing can be read. */
  public static CannotGoOn damaged(InputFile file, String why) {
    return CannotGoOn.of(
        Reason.DAMAGED,
        file.name(),
        file.name() + " is a damaged PDB: " + why,
        "get a new copy of it");
  }

  private long blocks(long size) {
    return (size + blockSize - 1) / blockSize;
  }

  private long size(int number) {
    long size = sizes[number] & NIL;
    return size == NIL ? 0 : size;
  }

  /** The name of the input, for messages. */
  public String name() {
    return file.name();
  }

  /** Bytes of a block. */
  public int blockSize() {
    return blockSize;
  }

  /** Returns the number of blocks, of which the last may be cut. */
  public long blockCount() {
    return blockCount;
  }

  /** Returns the number of streams in the directory, those without bytes included. */
  public int streamCount() {
    return sizes.length;
  }

  /**
   * A stream by its number.
   *
   * @return empty if there is none: the number is not in the directory, or the stream is nil
   * @throws DamagedInput if its blocks are not in the file
   */
  public Optional<MsfStream> stream(int number) {
    if (number < 0 || number >= sizes.length || (sizes[number] & NIL) == NIL) {
      return Optional.empty();
    }
    long size = size(number);
    if (number >= firstWithoutRoom) {
      throw new DamagedInput(
          file.name(),
          directory.fileOffset(4),
          "stream " + number + " has " + size + " bytes, more than the file");
    }
    Bytes list = directory.window(lists[number], (int) (4 * blocks(size)));
    return Optional.of(new MsfStream(file, number, blockSize, blockCount, list, size));
  }
}
