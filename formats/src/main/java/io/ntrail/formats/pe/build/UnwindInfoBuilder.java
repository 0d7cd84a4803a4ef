package io.ntrail.formats.pe.build;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builder of the unwind information of an x64 function under construction: the operations of its
 * prologue, and its exception handler. It becomes an UNWIND_INFO of version 1, or of version 2 if
 * epilogues are given.
 *
 * <p>Every operation has the offset in the function after its instruction. Registers are numbered
 * as by the processor: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
 */
public final class UnwindInfoBuilder {
  private static final int EXCEPTION_HANDLER = 1;
  private static final int TERMINATION_HANDLER = 2;
  private static final int CHAINED = 4;

  /** The operations; {@code at} is the offset after the instruction. */
  private sealed interface Step {
    int at();
  }

  private record Push(int at, int register) implements Step {}

  private record Allocate(int at, long size) implements Step {}

  private record SetFrame(int at) implements Step {}

  private record Save(int at, int register, long offset) implements Step {}

  private record SaveXmm(int at, int register, long offset) implements Step {}

  private record MachineFrame(int at, boolean errorCode) implements Step {}

  private final int prologue;
  private final List<Step> steps = new ArrayList<>();
  private final List<Integer> epilogues = new ArrayList<>();
  private int epilogueSize;
  private boolean epilogueAtEnd;
  private int frameRegister;
  private int frameOffset;
  private int flags;
  private String handler = "";
  private @Nullable Consumer<PeSectionContent> handlerData;
  private String chainedTo = "";

  private UnwindInfoBuilder(int prologue) {
    if (prologue < 0 || prologue > 255) {
      throw new IllegalArgumentException("a prologue of " + prologue + " bytes");
    }
    this.prologue = prologue;
  }

  /** A function whose prologue has so many bytes, at most 255. */
  public static UnwindInfoBuilder prologue(int size) {
    return new UnwindInfoBuilder(size);
  }

  private UnwindInfoBuilder add(Step step) {
    if (step.at() < 0 || step.at() > prologue) {
      throw new IllegalArgumentException("the instruction is not in the prologue: " + step);
    }
    steps.add(step);
    return this;
  }

  private static int register(int number) {
    if (number < 0 || number > 15) {
      throw new IllegalArgumentException("no register " + number);
    }
    return number;
  }

  private static long multiple(long offset, int unit) {
    if (offset < 0 || offset > 0xFFFF_FFFFL || offset % unit != 0) {
      throw new IllegalArgumentException(offset + " is not a multiple of " + unit);
    }
    return offset;
  }

  /** {@code push register}. */
  public UnwindInfoBuilder push(int at, int register) {
    return add(new Push(at, register(register)));
  }

  /** {@code sub rsp, size}. */
  public UnwindInfoBuilder allocate(int at, long size) {
    if (size == 0) {
      throw new IllegalArgumentException("nothing is allocated");
    }
    return add(new Allocate(at, multiple(size, 8)));
  }

  /** {@code lea register, [rsp + offset]}: from here on the frame is found through the register. */
  public UnwindInfoBuilder frame(int at, int register, int offset) {
    if (offset > 240 || register == 0) {
      throw new IllegalArgumentException("no such frame: " + register + " + " + offset);
    }
    frameRegister = register(register);
    frameOffset = (int) multiple(offset, 16);
    return add(new SetFrame(at));
  }

  /** {@code mov [rsp + offset], register}. */
  public UnwindInfoBuilder save(int at, int register, long offset) {
    return add(new Save(at, register(register), multiple(offset, 8)));
  }

  /** {@code movaps [rsp + offset], xmm}. */
  public UnwindInfoBuilder saveXmm(int at, int register, long offset) {
    return add(new SaveXmm(at, register(register), multiple(offset, 16)));
  }

  /** The processor pushed a frame of an interrupt, with or without an error code. */
  public UnwindInfoBuilder machineFrame(int at, boolean errorCode) {
    return add(new MachineFrame(at, errorCode));
  }

  /**
   * Declares epilogues, for version 2.
   *
   * @param size bytes of each
   * @param atEnd whether one of them ends where the function ends
   * @param distances of the other ones: from their first byte to the end of the function, at most
   *     4095
   */
  public UnwindInfoBuilder epilogues(int size, boolean atEnd, int... distances) {
    epilogueSize = size;
    epilogueAtEnd = atEnd;
    for (int distance : distances) {
      if (distance <= 0 || distance > 0xFFF) {
        throw new IllegalArgumentException("an epilogue " + distance + " bytes before the end");
      }
      epilogues.add(distance);
    }
    return this;
  }

  /**
   * Sets the handler of exceptions, of termination, or of both.
   *
   * @param label of the routine
   * @param data what follows its address, or null
   */
  public UnwindInfoBuilder handler(
      boolean exceptions,
      boolean terminations,
      String label,
      @Nullable Consumer<PeSectionContent> data) {
    if (!chainedTo.isEmpty()) {
      throw new IllegalStateException("a chained function has no handler of its own");
    }
    flags = (exceptions ? EXCEPTION_HANDLER : 0) | (terminations ? TERMINATION_HANDLER : 0);
    handler = label;
    handlerData = data;
    return this;
  }

  /**
   * Chains the function to another one, whose prologue ran before.
   *
   * @param begin the label that the other one was declared with
   */
  public UnwindInfoBuilder chained(String begin) {
    if (!handler.isEmpty()) {
      throw new IllegalStateException("a chained function has no handler of its own");
    }
    flags = CHAINED;
    chainedTo = begin;
    return this;
  }

  /** The label of the function that it is chained to, or empty. */
  String chainedTo() {
    return chainedTo;
  }

  /**
   * Writes the unwind information.
   *
   * @param parent begin, end and unwind info of the function that it is chained to
   */
  void write(PeSectionContent part, @Nullable List<String> parent) {
    List<Integer> slots = slots();
    boolean second = epilogueSize != 0;
    part.align(4);
    part.u8((second ? 2 : 1) | flags << 3).u8(prologue).u8(slots.size());
    part.u8(frameRegister | frameOffset / 16 << 4);
    slots.forEach(part::u16);
    if (slots.size() % 2 != 0) {
      part.u16(0);
    }
    if (parent != null) {
      parent.forEach(part::rva);
    } else if (flags != 0) {
      part.rva(handler);
      if (handlerData != null) {
        handlerData.accept(part);
      }
    }
  }

  private List<Integer> slots() {
    List<Integer> slots = new ArrayList<>();
    if (epilogueSize != 0) {
      slots.add(slot(epilogueSize, 6, epilogueAtEnd ? 1 : 0));
      epilogues.forEach(distance -> slots.add(slot(distance & 0xFF, 6, distance >>> 8)));
      if (slots.size() % 2 != 0) {
        slots.add(slot(0, 6, 0));
      }
    }
    // The last instruction is undone first; of one instruction, the last one added.
    List<Step> undone = new ArrayList<>(steps.reversed());
    undone.sort(Comparator.comparingInt(Step::at).reversed());
    undone.forEach(step -> encode(step, slots));
    if (slots.size() > 255) {
      throw new IllegalStateException("more operations than an unwind info can hold");
    }
    return slots;
  }

  private static int slot(int at, int operation, int info) {
    return at | operation << 8 | info << 12;
  }

  private static void encode(Step step, List<Integer> slots) {
    switch (step) {
      case Push(int at, int register) -> slots.add(slot(at, 0, register));
      case Allocate(int at, long size) -> {
        if (size <= 128) {
          slots.add(slot(at, 2, (int) (size - 8) / 8));
        } else if (size / 8 <= 0xFFFF) {
          slots.add(slot(at, 1, 0));
          slots.add((int) (size / 8));
        } else {
          slots.add(slot(at, 1, 1));
          far(size, slots);
        }
      }
      case SetFrame(int at) -> slots.add(slot(at, 3, 0));
      case Save(int at, int register, long offset) ->
          saved(at, 4, register, offset, offset / 8, slots);
      case SaveXmm(int at, int register, long offset) ->
          saved(at, 8, register, offset, offset / 16, slots);
      case MachineFrame(int at, boolean errorCode) -> slots.add(slot(at, 10, errorCode ? 1 : 0));
    }
  }

  /** The near form holds a multiple in 16 bits, the far one the offset itself in 32. */
  private static void saved(
      int at, int operation, int register, long offset, long scaled, List<Integer> slots) {
    if (scaled <= 0xFFFF) {
      slots.add(slot(at, operation, register));
      slots.add((int) scaled);
    } else {
      slots.add(slot(at, operation + 1, register));
      far(offset, slots);
    }
  }

  private static void far(long value, List<Integer> slots) {
    slots.add((int) (value & 0xFFFF));
    slots.add((int) (value >>> 16));
  }
}
