package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.engine.Fault.Kind;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a program: its structs, what it allocates in a clause, and below that whatever memory
 * its events have.
 */
public final class Memory {
  private static final long VARIABLES = 0x7D00_0000_0000_0000L;
  private static final long SCRATCH = 0x7E00_0000_0000_0000L;
  private static final int MOST_SCRATCH = 1 << 20;
  private static final int MOST_VARIABLES = 1 << 24;

  private byte[] variables = new byte[256];
  private int variablesSize;
  private byte[] scratch = new byte[256];
  private int scratchSize;
  private final @Nullable Reader other;
  private @Nullable ProbeEvent event;

  /** Memory beside that of events. */
  @FunctionalInterface
  public interface Reader {
    /** Returns bytes at an address, fewer if not all can be read. */
    byte[] read(long address, int length);
  }

  /**
   * Memory with nothing in it.
   *
   * @param other what is read elsewhere; null: nothing
   */
  public Memory(@Nullable Reader other) {
    this.other = other;
  }

  /** Tells which event's memory is looked at. */
  void see(ProbeEvent next) {
    event = next;
  }

  /** Makes room for a variable; returns its address, 0 if there is not enough room. */
  public long variable(int size) {
    if (size > MOST_VARIABLES - variablesSize) {
      return 0;
    }
    long address = VARIABLES + variablesSize;
    variablesSize += size + 7 & ~7;
    if (variablesSize > variables.length) {
      variables = Arrays.copyOf(variables, Math.max(variablesSize, 2 * variables.length));
    }
    return address;
  }

  /** Makes room until the clause ends; returns its address. */
  public long allocate(long size) {
    if (size < 0 || size > MOST_SCRATCH - scratchSize - 8) {
      throw new Fault(Kind.NOSCRATCH, 0);
    }
    int before = scratchSize;
    // What lies behind the last byte is not there: the beginning is aligned, not the end.
    int begin = scratchSize + 7 & ~7;
    long address = SCRATCH + begin;
    scratchSize = begin + (int) size;
    if (scratchSize > scratch.length) {
      scratch = Arrays.copyOf(scratch, Math.max(scratchSize, 2 * scratch.length));
    }
    Arrays.fill(scratch, before, scratchSize, (byte) 0);
    return address;
  }

  /** Forgets what was allocated. */
  void clearScratch() {
    scratchSize = 0;
  }

  /** Reads bytes; all of them must be there. */
  public byte[] read(long address, long length) {
    if (length < 0 || length > MOST_SCRATCH) {
      throw new Fault(Kind.NOSCRATCH, 0);
    }
    int size = (int) length;
    long inScratch = address - SCRATCH;
    long inVariables = address - VARIABLES;
    if (inScratch >= 0 && inScratch <= scratchSize - size) {
      return Arrays.copyOfRange(scratch, (int) inScratch, (int) inScratch + size);
    }
    if (inVariables >= 0 && inVariables <= variablesSize - size) {
      return Arrays.copyOfRange(variables, (int) inVariables, (int) inVariables + size);
    }
    byte[] found = event == null ? new byte[0] : event.memory(address, size);
    if (found.length < size && other != null) {
      found = other.read(address, size);
    }
    if (found.length < size) {
      throw new Fault(Kind.BADADDR, address);
    }
    return found;
  }

  /** Reads a number. */
  public long number(long address, int size, boolean isSigned) {
    byte[] bytes = read(address, size);
    long value = 0;
    for (int i = size - 1; i >= 0; i--) {
      value = value << 8 | bytes[i] & 0xFF;
    }
    int unused = 64 - 8 * size;
    return isSigned ? value << unused >> unused : value;
  }

  /** Reads a string up to its NUL, a character for each byte. */
  public String text(long address, int most) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < most; i++) {
      int c = (int) number(address + i, 1, false);
      if (c == 0) {
        break;
      }
      text.append((char) c);
    }
    return text.toString();
  }

  /** Writes a number; only own memory can be written. */
  public void set(long address, int size, long value) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (value >>> 8 * i);
    }
    write(address, bytes);
  }

  /** Writes bytes; only own memory can be written. */
  public void write(long address, byte[] bytes) {
    long inScratch = address - SCRATCH;
    long inVariables = address - VARIABLES;
    if (inScratch >= 0 && inScratch <= scratchSize - bytes.length) {
      System.arraycopy(bytes, 0, scratch, (int) inScratch, bytes.length);
    } else if (inVariables >= 0 && inVariables <= variablesSize - bytes.length) {
      System.arraycopy(bytes, 0, variables, (int) inVariables, bytes.length);
    } else {
      throw new Fault(Kind.BADADDR, address);
    }
  }
}
