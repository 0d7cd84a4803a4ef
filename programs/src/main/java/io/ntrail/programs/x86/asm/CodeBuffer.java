package io.ntrail.programs.x86.asm;

import io.ntrail.formats.collections.Growth;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.Label;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Code under construction: bytes of fixed length, fragments whose length depends on where labels
 * end up, and fields that are filled in once they have.
 */
final class CodeBuffer {
  private final Assembler owner;
  private byte[] fixed = new byte[256];
  private int length;
  private final List<RelaxableFragment> elastic = new ArrayList<>();
  private final List<Fixup> fixups = new ArrayList<>();
  private int alignment = 1;

  CodeBuffer(Assembler owner) {
    this.owner = owner;
  }

  /** Binds a label to the end of what was written. */
  void bind(CodeLabel label) {
    label.bind(length, elastic.size());
  }

  /** Appends an instruction, with the fields in it that refer to labels. */
  void append(byte[] bytes, List<Fixup> fields) {
    for (Fixup fixup : fields) {
      fixups.add(fixup.moved(length, elastic.size()));
    }
    append(bytes);
  }

  /** Appends a jump that is short if it reaches its target, and near otherwise. */
  void jump(byte[] shortOpcode, byte[] nearOpcode, Label target) {
    elastic.add(new RelaxableFragment.Jump(length, shortOpcode, nearOpcode, target));
  }

  /** Appends padding up to a multiple of {@code boundary}. */
  void align(int boundary, Padding padding) {
    elastic.add(new RelaxableFragment.Align(length, boundary, padding));
    alignment = Math.max(alignment, boundary);
  }

  /** Appends padding until {@code bytes} bytes follow a label. */
  void fill(Label from, int bytes, Padding padding) {
    elastic.add(new RelaxableFragment.Fill(length, from, bytes, padding));
  }

  /** Appends a field that refers to a label. */
  void field(Fixup.Kind kind, Label label, @Nullable Label origin, long addend, int bytes) {
    fixups.add(new Fixup(kind, length, elastic.size(), bytes, label, origin, addend, 0));
    append(new byte[bytes]);
  }

  /**
   * Lays everything out and fills the fields in.
   *
   * @param imageOffset offset of the code in its image
   * @throws IllegalArgumentException if a label is unbound or out of range
   */
  AssembledCode assemble(CodeSize size, int imageOffset) {
    CodeLayout layout = new CodeLayout(owner, elastic, length);
    byte[] bytes = new byte[Math.addExact(length, layout.elasticBytes())];
    int from = 0;
    for (int i = 0; i < elastic.size(); i++) {
      RelaxableFragment item = elastic.get(i);
      System.arraycopy(fixed, from, bytes, layout.offset(from, i), item.at() - from);
      from = item.at();
      write(item, bytes, layout, i);
    }
    System.arraycopy(fixed, from, bytes, layout.offset(from, elastic.size()), length - from);
    List<Relocation> relocations = new ArrayList<>();
    for (Fixup fixup : fixups) {
      resolve(fixup, bytes, layout, imageOffset, relocations);
    }
    return new AssembledCode(size, bytes, alignment, relocations, layout);
  }

  private static void write(RelaxableFragment item, byte[] bytes, CodeLayout layout, int index) {
    int at = layout.offset(item.at(), index);
    int itemLength = layout.length(index);
    if (item instanceof RelaxableFragment.Jump jump) {
      boolean isShort = itemLength == jump.shortLength();
      byte[] opcode = isShort ? jump.shortOpcode() : jump.nearOpcode();
      System.arraycopy(opcode, 0, bytes, at, opcode.length);
      int distance = layout.distance(index, jump.target());
      CodeLayout.put(bytes, at + opcode.length, distance, itemLength - opcode.length);
    } else if (item instanceof RelaxableFragment.Padded padded) {
      padded.padding().fill(bytes, at, itemLength);
    }
  }

  private void resolve(
      Fixup fixup, byte[] bytes, CodeLayout layout, int imageOffset, List<Relocation> relocations) {
    int at = layout.offset(fixup.at(), fixup.elasticBefore());
    long value = fixup.addend() + (fixup.label() == null ? 0 : layout.offset(fixup.label()));
    switch (fixup.kind()) {
      case ADDRESS ->
          relocations.add(new Relocation(at, fixup.bytes(), Relocation.Kind.ADDRESS, value));
      case DISTANCE ->
          put(
              fixup,
              bytes,
              at,
              fixup.origin() == null ? value : value - layout.offset(fixup.origin()));
      case OFFSET -> put(fixup, bytes, at, value + imageOffset);
      case RELATIVE -> {
        long relative = value - layout.offset(fixup.behind(), fixup.elasticBefore());
        if (fixup.label() == null) {
          relocations.add(new Relocation(at, fixup.bytes(), Relocation.Kind.RELATIVE, relative));
        } else {
          put(fixup, bytes, at, relative);
        }
      }
    }
  }

  private static void put(Fixup fixup, byte[] bytes, int at, long value) {
    if (!Immediates.fitsSigned(value, 8 * fixup.bytes())) {
      throw new IllegalArgumentException(
          "%s is too far away: %d does not fit into %d byte(s)"
              .formatted(fixup.label(), value, fixup.bytes()));
    }
    CodeLayout.put(bytes, at, value, fixup.bytes());
  }

  void append(byte[] bytes) {
    int end = Math.addExact(length, bytes.length);
    if (end > fixed.length) {
      fixed = Arrays.copyOf(fixed, Growth.length(fixed.length, end));
    }
    System.arraycopy(bytes, 0, fixed, length, bytes.length);
    length = end;
  }
}
