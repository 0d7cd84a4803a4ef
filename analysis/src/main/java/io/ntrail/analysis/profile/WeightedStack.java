package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.naming.FunctionIndex;
import io.ntrail.analysis.naming.ProcessNames;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.collections.IntList;
import org.jspecify.annotations.Nullable;

/**
 * One weight with its process, thread and stack: what sources yield and shapes add up. A flyweight:
 * a source fills it anew for each weight, first the frames, then the rest.
 */
public final class WeightedStack {
  /** Numbered parts that a stack consists of at most. */
  private static final int MOST_PARTS = 2;

  private long key;
  private int process = ProcessNames.NO_ID;
  private int codeProcess = ProcessNames.NO_ID;
  private int thread = ProcessNames.NO_ID;
  private int cpu;
  private long weight;
  private @Nullable String subject;
  private boolean kernel;
  private boolean recorded;

  /** The numbered parts; the addresses are then not copied yet. */
  private final int[] partNumbers = new int[MOST_PARTS];

  private int parts;

  /** Address before the innermost one of the parts. */
  private long before;

  private boolean hasBefore;

  /** Its innermost address, while it is known by its parts alone. */
  private long innermost;

  private final StackAddresses addresses = new StackAddresses();
  private boolean resolved;
  private final IntList functions = new IntList();

  private final FrameLookup names;
  private final StackParts stacks;

  /**
   * Creates a stack without frames.
   *
   * @param names finds the functions of its frames
   * @param stacks the numbered parts that it may consist of
   */
  public WeightedStack(FrameLookup names, StackParts stacks) {
    this.names = names;
    this.stacks = stacks;
  }

  /** Removes all frames, and returns where those of the next weight are added. */
  public StackAddresses clearAddresses() {
    addresses.clear();
    parts = 0;
    hasBefore = false;
    resolved = false;
    return addresses;
  }

  /** Returns its addresses; empty as long as it is known by its parts alone. */
  public StackAddresses addresses() {
    return addresses;
  }

  /** Returns where the numbers of its parts are put before {@link #setSampledParts}. */
  public int[] partNumbers() {
    return partNumbers;
  }

  /** Sets the number of its numbered parts: 0 if it has addresses. */
  void setParts(int count) {
    parts = count;
  }

  /**
   * Sets an address before the innermost one of its numbered parts: another one of the same half of
   * the address space.
   */
  void setBefore(long address) {
    before = address;
    hasBefore = true;
  }

  /**
   * Takes the numbered parts of a recorded stack after an instruction pointer, if that is of the
   * same half of the address space, so that all parts stay as they are; else takes nothing.
   *
   * @param count of {@link #partNumbers}; 0 takes nothing
   * @param first innermost address of the parts
   * @return true if they are taken
   */
  public boolean setSampledParts(int count, long first, long instructionPointer) {
    boolean begins = first == instructionPointer;
    if (count == 0 || !begins && names.isKernel(first) != names.isKernel(instructionPointer)) {
      return false;
    }
    setParts(count);
    if (!begins) {
      setBefore(instructionPointer);
    }
    innermost = instructionPointer;
    recorded = true;
    return true;
  }

  /** Sets if its event has a recorded stack. */
  public void setRecorded(boolean recorded) {
    this.recorded = recorded;
  }

  /**
   * Completes its addresses, or what {@link #setSampledParts} took.
   *
   * @param ofProcess process in which the addresses are code: that of the stack, which need not be
   *     the one that the weight counts for
   */
  public void setFrames(int ofProcess) {
    long first = addresses.count() > 0 ? addresses.address(0) : innermost;
    setFrames(ofProcess, !isEmpty() && names.isKernel(first));
  }

  /**
   * Completes its addresses, or parts.
   *
   * @param ofProcess process in which the addresses are code: that of the stack, which need not be
   *     the one that the weight counts for
   * @param kernel whether the innermost frame is one of the kernel
   */
  void setFrames(int ofProcess, boolean kernel) {
    resolved = false;
    this.codeProcess = ofProcess;
    this.kernel = kernel;
  }

  /** Takes functions that were kept instead of addresses. */
  public void setFunctions(StackSnapshot kept) {
    resolved = true;
    parts = 0;
    functions.clear();
    functions.addAll(kept.functions(), 0, kept.functions().length);
    kernel = kept.kernel();
    recorded = kept.recorded();
  }

  /**
   * Sets the owner and the weight.
   *
   * @param key a time at which the process had its id
   * @param process its id; {@link ProcessNames#NO_ID} if unknown
   * @param thread its id; {@link ProcessNames#NO_ID} if unknown
   * @param cpu of the event at which the weight became known
   * @param weight in the unit of the metric
   */
  public void setWeight(long key, int process, int thread, int cpu, long weight) {
    this.key = key;
    this.process = process;
    this.thread = thread;
    this.cpu = cpu;
    this.weight = weight;
  }

  /** Sets what it is about; null if nothing, or if nobody asks. */
  public void setSubject(@Nullable String subject) {
    this.subject = subject;
  }

  /** Returns what it is about; null if nothing. */
  @Nullable String subject() {
    return subject;
  }

  /**
   * Returns the functions of its addresses, for a weight that becomes known later.
   *
   * @param kernel whether the innermost frame is one of the kernel
   */
  public StackSnapshot keep(int ofProcess, long now, boolean kernel) {
    names.resolve(ofProcess, now, addresses, functions);
    return new StackSnapshot(functions.toArray(), kernel, recorded);
  }

  /** Returns whether it has no frames. */
  public boolean isEmpty() {
    return resolved ? functions.isEmpty() : parts == 0 && addresses.count() == 0;
  }

  FrameLookup names() {
    return names;
  }

  StackParts stacks() {
    return stacks;
  }

  /** Returns of how many numbered parts it consists; 0 if it does not. */
  int parts() {
    return parts;
  }

  /** Returns the number of a part; 0 is the innermost. */
  int part(int i) {
    return partNumbers[i];
  }

  /** Returns whether there is an address before its numbered parts. */
  boolean hasBefore() {
    return hasBefore;
  }

  /** Returns the address before its numbered parts, if it has one. */
  long before() {
    return before;
  }

  private void copyParts() {
    if (addresses.count() == 0) {
      for (int i = 0; i < parts; i++) {
        stacks.copy(partNumbers[i], addresses);
      }
      if (hasBefore) {
        addresses.setInnermost(before);
      }
    }
  }

  /** Looks up its innermost frame alone; false if it has none. Not for stacks that were kept. */
  public boolean innermost(FrameLookup.Hit into, int bucket) {
    copyParts();
    if (addresses.count() == 0) {
      return false;
    }
    names.hit(codeProcess, key, addresses.address(0), bucket, into);
    return true;
  }

  /** Returns its functions: more than there are frames where some were inlined. */
  IntList functions() {
    if (!resolved) {
      resolved = true;
      copyParts();
      names.resolve(codeProcess, key, addresses, functions);
    }
    return functions;
  }

  /** Returns a time at which the process had its id. */
  public long key() {
    return key;
  }

  /** Returns the process in which its addresses are code. */
  int codeProcess() {
    return codeProcess;
  }

  /** Returns whether its event has a recorded stack. */
  public boolean isRecorded() {
    return recorded;
  }

  /** Returns whether its innermost frame is one of the kernel. */
  boolean isKernel() {
    return kernel;
  }

  /** Returns the process id; {@link ProcessNames#NO_ID} if unknown. */
  public int process() {
    return process;
  }

  /** Returns the thread id; {@link ProcessNames#NO_ID} if unknown. */
  public int thread() {
    return thread;
  }

  /** Returns the CPU of the event at which the weight became known. */
  public int cpu() {
    return cpu;
  }

  /** Returns the weight in the unit of the metric. */
  public long weight() {
    return weight;
  }

  /** Returns the number of functions: more than there are frames where some were inlined. */
  public int count() {
    return functions().size();
  }

  /** Returns a number of {@link FunctionIndex}; 0 is the innermost. */
  public int function(int i) {
    return functions().get(i);
  }
}
