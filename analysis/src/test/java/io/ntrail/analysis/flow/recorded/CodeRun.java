package io.ntrail.analysis.flow.recorded;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.testkit.pt.PtEncoder;
import io.ntrail.testkit.pt.PtEncoder.Kind;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Instructions that Unicorn executed.
 *
 * @param addresses of each; an instruction that repeats itself is there once
 * @param next address of the one that would come next
 */
record CodeRun(List<Long> addresses, long next) {
  private static final int PAGES = 64;

  /** Runs code until an address, or until it leaves an image or cannot go on. */
  static CodeRun of(UnicornMachine machine, RealImage image, long begin, long until, int most)
      throws IOException {
    return of(machine, begin, until, image.base(), image.base() + image.size(), most);
  }

  /** Runs code until an address, wherever it is. */
  static CodeRun of(UnicornMachine machine, long begin, long until, int most) throws IOException {
    return of(machine, begin, until, 0, 0, most);
  }

  private static CodeRun of(
      UnicornMachine machine, long begin, long until, long low, long high, int most)
      throws IOException {
    List<Long> ran = new ArrayList<>();
    UnicornRun.End end =
        machine.run(
            new UnicornRun(begin, until, low, high, most, PAGES, UnicornRun.ADDRESSES),
            new UnicornRun.Listener() {
              @Override
              public void instruction(long address, long[] general, long[] vectors) {
                if (ran.isEmpty() || ran.getLast() != address) {
                  ran.add(address);
                }
              }
            });
    boolean isFailed = !ran.isEmpty() && ran.getLast() == end.ip();
    if (isFailed) {
      ran.removeLast();
    }
    return new CodeRun(ran, end.ip());
  }

  /** Returns the run up to the first instruction that the encoder has no kind for. */
  CodeRun encodable(AddressSpace code, CodeSize size) {
    for (int i = 0; i < addresses.size(); i++) {
      if (Kinds.of(code, addresses.get(i), size).kind == null) {
        return new CodeRun(addresses.subList(0, i), addresses.get(i));
      }
    }
    return this;
  }

  /**
   * A stream of runs.
   *
   * @param stream the packets
   * @param addresses of all instructions in it
   * @param psbs offset of each PSB, and how many instructions are before it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Encoded(byte[] stream, List<Long> addresses, List<long[]> psbs) {
    /** Returns the instructions that are left of the stream in a ring of a size. */
    List<Long> inRing(int size) {
      if (stream.length < size) {
        return addresses;
      }
      for (long[] psb : psbs) {
        if (psb[0] >= stream.length - size) {
          return addresses.subList((int) psb[1], addresses.size());
        }
      }
      return List.of();
    }
  }

  /** Encodes runs one behind the other: each but the first begins by an interrupt. */
  static Encoded encode(PtEncoder encoder, CodeSize size, List<Part> parts) {
    List<Long> all = new ArrayList<>();
    List<long[]> psbs = new ArrayList<>();
    psbs.add(new long[] {0, 0});
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(i);
      List<Long> ran = part.run.addresses;
      if (i > 0) {
        encoder.interrupt(parts.get(i - 1).run.next, ran.getFirst());
      }
      for (int step = 0; step < ran.size(); step++) {
        long next = step + 1 < ran.size() ? ran.get(step + 1) : part.run.next;
        int before = encoder.psbs();
        Kinds.Found found = Kinds.of(part.code, ran.get(step), size);
        if (encoder.step(
            Objects.requireNonNull(found.kind),
            ran.get(step),
            ran.get(step) + found.length,
            next)) {
          all.add(ran.get(step));
        }
        if (encoder.psbs() > before) {
          psbs.add(new long[] {encoder.lastPsb(), all.size()});
        }
      }
    }
    encoder.end(parts.getLast().run.next);
    return new Encoded(encoder.stream(), all, psbs);
  }

  /** A run of some code. */
  record Part(CodeRun run, AddressSpace code) {}

  /** Kinds of instructions as an encoder needs them. */
  private static final class Kinds {
    record Found(@Nullable Kind kind, int length) {}

    static Found of(AddressSpace code, long address, CodeSize size) {
      Instruction instruction = new Instruction();
      Bytes bytes = code.readUpTo(address, InstructionDecoder.LONGEST);
      int length = InstructionDecoder.of(size).decode(bytes, 0, bytes.length(), instruction);
      if (length == 0) {
        throw new IllegalStateException("no instruction at 0x" + Long.toHexString(address));
      }
      return new Found(kind(instruction.flowClass()), length);
    }

    private static @Nullable Kind kind(FlowClass flow) {
      return switch (flow) {
        case CONDITIONAL_BRANCH -> Kind.CONDITIONAL;
        case DIRECT_JUMP -> Kind.JUMP;
        case DIRECT_CALL -> Kind.CALL;
        case INDIRECT_JUMP -> Kind.INDIRECT_JUMP;
        case INDIRECT_CALL -> Kind.INDIRECT_CALL;
        case RETURN -> Kind.RETURN;
        case NEXT -> Kind.OTHER;
        default -> null;
      };
    }
  }
}
