package io.ntrail.analysis.flow;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.Arrays;

/**
 * The code that was looked at, in blocks: instructions in a row up to a branch. Blocks have numbers
 * from 0, which stay; a block is found by its address and the size of its code. Two blocks may
 * overlap.
 *
 * <p>The blocks that follow one are looked for when they are needed first, and kept as numbers, so
 * that running in a circle looks at nothing but arrays. Code that changes meanwhile is taken to be
 * as it was, unless {@link #changed} says so. Used by one thread.
 */
public final class CodeBlocks {
  /**
   * Bits of an address within a stretch that a block begins and ends in; a longer run is continued
   * in another block. So runs that begin at different places share what is behind their first
   * stretch.
   */
  private static final int STRETCH_BITS = 10;

  /** Share of the memory that instructions may take: one byte of so many. */
  private static final int MEMORY_SHARE = 8;

  /** Bytes that are asked for at once. */
  private static final int FETCH = 256;

  /** Bytes of a JMPABS. */
  private static final int ABSOLUTE_JUMP = 11;

  private static final int CLASS_SHIFT = 4;
  private static final FlowClass[] CLASSES = FlowClass.values();
  private static final CodeSize[] SIZES = CodeSize.values();

  private final AddressSpace space;
  private final InstructionDecoder[] decoders = new InstructionDecoder[SIZES.length];
  private final LongIntMap[] numbers = new LongIntMap[SIZES.length];
  private final Instruction instruction = new Instruction();

  private int size;
  private byte[] kinds = new byte[256];
  private byte[] codeSizes = new byte[256];
  private int[] counts = new int[256];
  private long[] starts = new long[256];
  private long[] ends = new long[256];
  private long[] targets = new long[256];
  private int[] takenBlocks = new int[256];
  private int[] nextBlocks = new int[256];

  /** Blocks whose code changed; empty until some does. */
  private boolean[] changed = new boolean[0];

  /** Index of the first instruction of a block in {@link #codes}. */
  private int[] firsts = new int[256];

  /** Length and class of every instruction of every block. */
  private short[] codes = new short[4096];

  private int codeCount;

  /** No blocks yet of some code. */
  public CodeBlocks(AddressSpace space) {
    this.space = space;
    for (CodeSize codeSize : SIZES) {
      decoders[codeSize.ordinal()] = InstructionDecoder.of(codeSize);
      numbers[codeSize.ordinal()] = new LongIntMap();
    }
  }

  /** Returns the number of the block at an address. */
  int at(long address, int codeSize) {
    int known = numbers[codeSize].get(address);
    return known >= 0 && !isChanged(known) ? known : decode(address, codeSize);
  }

  /**
   * Forgets the code at some addresses: it changed, and is looked at again when the flow comes to
   * it. Blocks that were handed out before keep their numbers and what they say.
   *
   * @param length bytes, from 1
   */
  public void changed(long address, long length) {
    if (changed.length < size) {
      changed = Arrays.copyOf(changed, kinds.length);
    }
    for (int block = 0; block < size; block++) {
      // A block may end, or be empty, because of what came behind it.
      long bytes = ends[block] - starts[block] + InstructionDecoder.LONGEST;
      changed[block] |=
          address - starts[block] >= 0
              ? Long.compareUnsigned(address - starts[block], bytes) < 0
              : Long.compareUnsigned(starts[block] - address, length) < 0;
      // What follows may be a block that changed.
      takenBlocks[block] = -1;
      nextBlocks[block] = -1;
    }
  }

  /** Returns true if the code of a block changed since it was looked at. */
  boolean isChanged(int block) {
    return block < changed.length && changed[block];
  }

  private int decode(long address, int codeSize) {
    int block = add(address, codeSize);
    InstructionDecoder decoder = decoders[codeSize];
    long at = address;
    byte kind = BlockKind.NEXT;
    int count = 0;
    Bytes code = space.readUpTo(address, FETCH);
    int offset = 0;
    while ((at ^ address) >>> STRETCH_BITS == 0) {
      if (code.length() - offset < InstructionDecoder.LONGEST && code.length() == FETCH) {
        code = space.readUpTo(at, FETCH);
        offset = 0;
      }
      int length = decoder.decode(code, offset, code.length(), instruction);
      if (length == 0 && isAbsoluteJump(code, offset, codeSize)) {
        code(ABSOLUTE_JUMP, FlowClass.INDIRECT_JUMP);
        kind = BlockKind.INDIRECT_JUMP;
        count++;
        at += ABSOLUTE_JUMP;
        break;
      }
      if (length == 0) {
        // What is before it was executed; the block that follows says why there is no more.
        if (count == 0) {
          boolean isCut = code.length() - offset < InstructionDecoder.LONGEST;
          kind = isCut ? BlockKind.NO_CODE : BlockKind.NO_INSTRUCTION;
        }
        break;
      }
      FlowClass flowClass = instruction.flowClass();
      kind = BlockKind.of(flowClass);
      code(length, flowClass);
      count++;
      if (kind != BlockKind.NEXT) {
        targets[block] = flowClass.hasTarget() ? instruction.branchTarget(at) : 0;
        at += length;
        break;
      }
      at += length;
      offset += length;
    }
    kinds[block] = kind;
    counts[block] = count;
    ends[block] = codeSize == CodeSize.BITS64.ordinal() ? at : at & 0xFFFF_FFFFL;
    return block;
  }

  /**
   * Returns true for JMPABS, of the extension APX, which the decoder does not know yet: its target
   * is in the code, and the trace tells it all the same.
   */
  private static boolean isAbsoluteJump(Bytes code, int at, int codeSize) {
    return codeSize == CodeSize.BITS64.ordinal()
        && code.has(at, ABSOLUTE_JUMP)
        && code.u8(at) == 0xD5
        && (code.u8(at + 1) & 0x88) == 0
        && code.u8(at + 2) == 0xA1;
  }

  private void code(int length, FlowClass flowClass) {
    if (codeCount == codes.length) {
      if (codeCount > Runtime.getRuntime().maxMemory() / Short.BYTES / MEMORY_SHARE) {
        throw new CannotGoOn(
            "the flow runs through more code than fits into memory: %,d instructions"
                .formatted(codeCount),
            "NTRAIL_JAVA_OPTS=-Xmx8g ntrail pt flow ...");
      }
      codes = Arrays.copyOf(codes, Growth.length(codeCount, codeCount + 1));
    }
    codes[codeCount++] = (short) (flowClass.ordinal() << CLASS_SHIFT | length);
  }

  private int add(long address, int codeSize) {
    if (size == kinds.length) {
      grow(2 * size);
    }
    int block = size++;
    codeSizes[block] = (byte) codeSize;
    starts[block] = address;
    takenBlocks[block] = -1;
    nextBlocks[block] = -1;
    firsts[block] = codeCount;
    numbers[codeSize].put(address, block);
    return block;
  }

  private void grow(int room) {
    kinds = Arrays.copyOf(kinds, room);
    codeSizes = Arrays.copyOf(codeSizes, room);
    counts = Arrays.copyOf(counts, room);
    starts = Arrays.copyOf(starts, room);
    ends = Arrays.copyOf(ends, room);
    targets = Arrays.copyOf(targets, room);
    takenBlocks = Arrays.copyOf(takenBlocks, room);
    nextBlocks = Arrays.copyOf(nextBlocks, room);
    firsts = Arrays.copyOf(firsts, room);
  }

  byte kind(int block) {
    return kinds[block];
  }

  /** Returns the number of instructions in a block. */
  public int count(int block) {
    return counts[block];
  }

  /** Returns the address of a block's first instruction. */
  public long start(int block) {
    return starts[block];
  }

  /** Returns the address behind a block's last instruction. */
  public long end(int block) {
    return ends[block];
  }

  /** Returns the size of the code in a block. */
  public CodeSize codeSize(int block) {
    return SIZES[codeSizes[block]];
  }

  /** Returns the number of blocks. */
  public int size() {
    return size;
  }

  /** Returns the length of an instruction of a block in bytes. */
  public int length(int block, int index) {
    return codes[firsts[block] + index] & 15;
  }

  /** Returns the class of an instruction of a block. */
  public FlowClass flowClass(int block, int index) {
    return CLASSES[codes[firsts[block] + index] >>> CLASS_SHIFT];
  }

  long target(int block) {
    return targets[block];
  }

  /** Returns the block at the target of a block's last instruction. */
  int taken(int block) {
    int known = takenBlocks[block];
    if (known < 0) {
      known = at(targets[block], codeSizes[block]);
      takenBlocks[block] = known;
    }
    return known;
  }

  /** Returns the block behind a block's last instruction. */
  int next(int block) {
    int known = nextBlocks[block];
    if (known < 0) {
      known = at(ends[block], codeSizes[block]);
      nextBlocks[block] = known;
    }
    return known;
  }

  /**
   * Returns how many instructions of a block lie before an address in it; -1 if none begins there.
   * The address behind the last one counts as in it.
   */
  int before(int block, long address) {
    if (address - starts[block] < 0 || address - ends[block] > 0) {
      return -1;
    }
    long at = starts[block];
    int index = 0;
    while (at != address && index < counts[block]) {
      at += length(block, index++);
    }
    return at == address ? index : -1;
  }
}
