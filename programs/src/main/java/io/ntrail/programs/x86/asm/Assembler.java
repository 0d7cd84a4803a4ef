package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Rounding;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.MaskRegister;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A program being written, front to back. Every method returns the assembler, so that calls can be
 * chained. See the package for an example.
 *
 * <p>What is refused is refused with an {@link IllegalArgumentException}; nothing is written then.
 * Not for several threads at once.
 */
public final class Assembler
    implements MoveInstructions,
        ArithmeticInstructions,
        BitInstructions,
        BranchInstructions,
        StringInstructions,
        SystemInstructions,
        VectorInstructions {
  /** Bound of alignments; larger ones make no sense for code in memory. */
  private static final int LARGEST_BOUNDARY = 1 << 16;

  private final CodeSize size;
  private final Encoder encoder;
  private final CodeBuffer code = new CodeBuffer(this);
  private int labels;
  private int imageOffset;
  private Modifiers modifiers = Modifiers.NONE;

  private Assembler(CodeSize size) {
    this.size = size;
    this.encoder = new Encoder(size);
  }

  /** For 64-bit code. */
  public static Assembler x64() {
    return new Assembler(CodeSize.BITS64);
  }

  /** For 32-bit code. */
  public static Assembler ia32() {
    return new Assembler(CodeSize.BITS32);
  }

  /** 32 or 64 bits. */
  @Override
  public CodeSize codeSize() {
    return size;
  }

  // Labels.

  /** A label without a place yet. */
  public Label label(String name) {
    labels++;
    return new CodeLabel(this, name);
  }

  /** A label without a place yet, of no particular name. */
  public Label label() {
    return label("label " + labels);
  }

  /** A new label at this place. */
  public Label here(String name) {
    Label label = label(name);
    bind(label);
    return label;
  }

  /**
   * Gives a label this place.
   *
   * @throws IllegalArgumentException if it has one, or is not of this assembler
   */
  public Assembler bind(Label label) {
    CodeLabel own = CodeLabel.of(label, this);
    if (own.isBound()) {
      throw new IllegalArgumentException("label bound twice: " + label);
    }
    checkNoPrefix();
    code.bind(own);
    return this;
  }

  // Instructions.

  /**
   * Any instruction of the list by its mnemonic; memory needs a size where no other operand has
   * one. Jumps to labels take the shortest form.
   */
  @Override
  public Assembler op(String mnemonic, AssemblerOperand... operands) {
    String name = mnemonic.toUpperCase(Locale.ROOT);
    for (AssemblerOperand operand : operands) {
      checkOwn(operand);
    }
    if (operands.length == 1 && operands[0] instanceof Label target && hasTwoLengths(name)) {
      Modifiers before = modifiers;
      modifiers = Modifiers.NONE;
      byte[] shortOpcode = opcode(before, name, BranchTarget.of(target, 1));
      byte[] nearOpcode = opcode(before, name, BranchTarget.of(target, 4));
      code.jump(shortOpcode, nearOpcode, target);
      return this;
    }
    Modifiers before = modifiers;
    modifiers = Modifiers.NONE;
    encoder.encode(before, name, operands);
    code.append(encoder.bytes(), encoder.fixups());
    return this;
  }

  /** JMP and Jcc; CALL is near and LOOP and JRCXZ are short. */
  private static boolean hasTwoLengths(String mnemonic) {
    return mnemonic.startsWith("J") && !mnemonic.endsWith("CXZ");
  }

  private byte[] opcode(Modifiers before, String mnemonic, BranchTarget target) {
    encoder.encode(before, mnemonic, target);
    byte[] whole = encoder.bytes();
    return Arrays.copyOf(whole, whole.length - target.bytes());
  }

  /** Locks the memory operand of the next instruction. */
  public Assembler lock() {
    return prefix(Prefix.LOCK);
  }

  /** Repeats the next string instruction. */
  public Assembler rep() {
    return prefix(Prefix.REP);
  }

  /** Repeats the next string instruction while it finds what is equal. */
  public Assembler repe() {
    return prefix(Prefix.REPE);
  }

  /** Repeats the next string instruction while it finds what is not equal. */
  public Assembler repne() {
    return prefix(Prefix.REPNE);
  }

  /** Starts a transaction with the next instruction, which must be locked as well. */
  public Assembler xacquire() {
    return prefix(Prefix.XACQUIRE);
  }

  /** A transaction ends with the next instruction, which is locked or a store. */
  public Assembler xrelease() {
    return prefix(Prefix.XRELEASE);
  }

  /** The next branch leaves the bounds of MPX as they are. */
  public Assembler bnd() {
    return prefix(Prefix.BND);
  }

  /** The target of the next indirect branch needs no ENDBR. */
  public Assembler notrack() {
    return prefix(Prefix.NOTRACK);
  }

  /** The next conditional branch is taken as a rule. */
  public Assembler hintTaken() {
    return prefix(Prefix.TAKEN);
  }

  /** The next conditional branch is not taken as a rule. */
  public Assembler hintNotTaken() {
    return prefix(Prefix.NOT_TAKEN);
  }

  /**
   * Makes the next string instruction read from another segment; memory operands have their own.
   */
  public Assembler segment(SegmentRegister segment) {
    return prefix(Prefix.of(segment));
  }

  /** The next instruction has 16 bits though no operand shows it: {@code push 5}. */
  public Assembler operand16() {
    return prefix(Prefix.OPERAND_16);
  }

  /**
   * The next string instruction, loop or jump on the counter has addresses or a counter of the
   * other size: 32 bits in 64-bit code, 16 bits in 32-bit code.
   */
  public Assembler otherAddressSize() {
    return prefix(Prefix.OTHER_ADDRESS_SIZE);
  }

  Assembler prefix(Prefix next) {
    Modifiers more = modifiers.with(next);
    if (more.equals(modifiers)) {
      checkNoPrefix();
    }
    modifiers = more;
    return this;
  }

  /** The next instruction changes only the elements that a mask selects. */
  public Assembler masked(MaskRegister mask) {
    return masked(mask, false);
  }

  /** The next instruction sets the elements to zero that a mask does not select. */
  public Assembler zeroed(MaskRegister mask) {
    return masked(mask, true);
  }

  private Assembler masked(MaskRegister mask, boolean zeroing) {
    if (mask == MaskRegister.K0) {
      throw new IllegalArgumentException("K0 selects nothing");
    }
    if (modifiers.mask() != null) {
      checkNoPrefix();
    }
    modifiers = modifiers.with(mask, zeroing);
    return this;
  }

  /** The next instruction, one of AVX-512 with registers only, rounds so. */
  public Assembler rounding(Rounding rounding) {
    modifiers = modifiers.with(rounding);
    return this;
  }

  /** All of it at once, before the next instruction. */
  Assembler modified(Modifiers all) {
    checkNoPrefix();
    modifiers = all;
    return this;
  }

  private void checkNoPrefix() {
    if (!modifiers.isNone()) {
      throw new IllegalArgumentException(modifiers + " without its instruction");
    }
  }

  // Data.

  /** Bytes as they are. */
  public Assembler bytes(byte... bytes) {
    checkNoPrefix();
    code.append(bytes);
    return this;
  }

  /** Numbers of one byte, with or without a sign. */
  public Assembler db(long... values) {
    return numbers(1, values);
  }

  /** Numbers of two bytes, with or without a sign. */
  public Assembler dw(long... values) {
    return numbers(2, values);
  }

  /** Numbers of four bytes, with or without a sign. */
  public Assembler dd(long... values) {
    return numbers(4, values);
  }

  /** Numbers of eight bytes. */
  public Assembler dq(long... values) {
    return numbers(8, values);
  }

  private Assembler numbers(int bytes, long... values) {
    checkNoPrefix();
    byte[] all = new byte[Math.multiplyExact(bytes, values.length)];
    for (int i = 0; i < values.length; i++) {
      if (!Immediates.fitsEither(values[i], 8 * bytes)) {
        throw new IllegalArgumentException(
            "0x%x does not fit into %d byte(s)".formatted(values[i], bytes));
      }
      CodeLayout.put(all, i * bytes, values[i], bytes);
    }
    code.append(all);
    return this;
  }

  /** The address of a label in four bytes; 32-bit code only. */
  public Assembler dd(Label label) {
    return dd(Imm.address(label));
  }

  /**
   * An address or a distance in four bytes.
   *
   * @throws IllegalArgumentException if it is an address in 64-bit code
   */
  public Assembler dd(Imm value) {
    if (value.label() != null && value.origin() == null && size == CodeSize.BITS64) {
      throw new IllegalArgumentException("an address of 64 bits in four bytes: " + value);
    }
    return field(value, 4);
  }

  /** The address of a label in eight bytes. */
  public Assembler dq(Label label) {
    return dq(Imm.address(label));
  }

  /** An address or a distance in eight bytes. */
  public Assembler dq(Imm value) {
    return field(value, 8);
  }

  private Assembler field(Imm value, int bytes) {
    checkNoPrefix();
    checkOwn(value);
    if (value.label() == null) {
      return numbers(bytes, value.value());
    }
    Fixup.Kind kind = value.origin() == null ? Fixup.Kind.ADDRESS : Fixup.Kind.DISTANCE;
    return field(kind, value.label(), value.origin(), value.value(), bytes);
  }

  private Assembler field(
      Fixup.Kind kind, Label label, @Nullable Label origin, long addend, int bytes) {
    code.field(kind, label, origin, addend, bytes);
    return this;
  }

  /** Appends the offset of a label in the image, in four bytes; see {@link #imageOffset}. */
  public Assembler ddImageRelative(Label label) {
    checkNoPrefix();
    checkOwn(label);
    return field(Fixup.Kind.OFFSET, label, null, 0, 4);
  }

  /** Sets the offset of this code in its image; 0 by default. */
  public Assembler imageOffset(int offset) {
    imageOffset = offset;
    return this;
  }

  /**
   * Text in ASCII, without an end.
   *
   * @throws IllegalArgumentException if something is not ASCII
   */
  public Assembler ascii(String text) {
    if (text.chars().anyMatch(c -> c > 0x7F)) {
      throw new IllegalArgumentException("not ASCII: " + text);
    }
    return bytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Appends text in ASCII with a terminating zero. */
  public Assembler asciiz(String text) {
    return ascii(text).db(0);
  }

  /** Text in UTF-16, without an end. */
  public Assembler utf16(String text) {
    return bytes(text.getBytes(StandardCharsets.UTF_16LE));
  }

  /** Appends text in UTF-16 with a terminating zero. */
  public Assembler utf16z(String text) {
    return utf16(text).dw(0);
  }

  // Padding.

  /** Nops up to a multiple of {@code boundary}. */
  public Assembler align(int boundary) {
    return align(boundary, Padding.NOP);
  }

  /**
   * Appends padding up to a multiple of {@code boundary}, counted from the start of the code, which
   * then must be at a multiple of it.
   *
   * @param boundary a power of two up to 64 KiB
   */
  public Assembler align(int boundary, Padding padding) {
    checkNoPrefix();
    if (Integer.bitCount(boundary) != 1 || boundary < 1 || boundary > LARGEST_BOUNDARY) {
      throw new IllegalArgumentException("boundary " + boundary);
    }
    code.align(boundary, padding);
    return this;
  }

  /**
   * Appends padding until {@code bytes} bytes follow {@code from}, which must be bound; {@link
   * #assemble} refuses it if there are more already.
   */
  public Assembler fill(Label from, int bytes, Padding padding) {
    checkNoPrefix();
    if (!CodeLabel.of(from, this).isBound()) {
      throw new IllegalArgumentException("unbound label: " + from);
    }
    if (bytes < 0 || bytes > 1 << 28) {
      throw new IllegalArgumentException("fill up to " + bytes + " bytes");
    }
    code.fill(from, bytes, padding);
    return this;
  }

  /** Appends {@code bytes} bytes of padding. */
  public Assembler pad(int bytes, Padding padding) {
    checkNoPrefix();
    byte[] all = new byte[bytes];
    padding.fill(all, 0, bytes);
    code.append(all);
    return this;
  }

  /** One or more nops of together so many bytes. */
  public Assembler nop(int bytes) {
    return pad(bytes, Padding.NOP);
  }

  // The result.

  /**
   * Gives everything its place.
   *
   * @throws IllegalArgumentException if a label has no place, or something does not reach
   */
  public AssembledCode assemble() {
    checkNoPrefix();
    return code.assemble(size, imageOffset);
  }

  private void checkOwn(AssemblerOperand operand) {
    if (operand instanceof Label label) {
      CodeLabel.check(label, this);
    } else if (operand instanceof Mem m) {
      CodeLabel.check(m.label(), this);
      CodeLabel.check(m.origin(), this);
    } else if (operand instanceof Imm imm) {
      CodeLabel.check(imm.label(), this);
      CodeLabel.check(imm.origin(), this);
    } else if (operand instanceof BranchTarget target) {
      CodeLabel.check(target.label(), this);
    }
  }
}
