package io.ntrail.programs.x86.asm.operands;

import org.jspecify.annotations.Nullable;

/**
 * A memory operand, built up from where it begins:
 *
 * <pre>{@code
 * ptr(RCX).plus(12).as32()                  // dword [rcx+12]
 * ptr(RBP).index(RDX, 8).plus(-16)          // [rbp+rdx*8-16]
 * gs(0x30)                                  // gs:[0x30]
 * ptr(label).plus(8)                        // 64-bit code: relative to rip; 32-bit: its address
 * }</pre>
 *
 * <p>Its size is that of the register beside it; where there is none ({@link #as8} to {@link
 * #as256}) has to set it. Displacements take the shortest form unless {@link #disp8} or {@link
 * #disp32} says otherwise; what is relative to rip or to a label has always four bytes.
 */
public final class Mem implements RegisterOrMemory, XmmOrMemory, YmmOrMemory {
  private final @Nullable AddressRegister<?> base;
  private final @Nullable RegisterOperand index;
  private final int scale;
  private final long displacement;
  private final int displacementBytes;
  private final @Nullable SegmentRegister segment;
  private final int bits;
  private final @Nullable Label label;
  private final @Nullable Label origin;
  private final boolean ripRelative;
  private final boolean far;
  private final int times;

  private Mem(Builder from) {
    base = from.base;
    index = from.index;
    scale = from.scale;
    displacement = from.displacement;
    displacementBytes = from.displacementBytes;
    segment = from.segment;
    bits = from.bits;
    label = from.label;
    origin = from.origin;
    ripRelative = from.ripRelative;
    far = from.far;
    times = from.times;
  }

  /** The parts while one of them changes. */
  private static final class Builder {
    private @Nullable AddressRegister<?> base;
    private @Nullable RegisterOperand index;
    private int scale = 1;
    private long displacement;
    private int displacementBytes;
    private @Nullable SegmentRegister segment;
    private int bits;
    private @Nullable Label label;
    private @Nullable Label origin;
    private boolean ripRelative;
    private boolean far;
    private int times;
  }

  private Builder copy() {
    Builder copy = new Builder();
    copy.base = base;
    copy.index = index;
    copy.scale = scale;
    copy.displacement = displacement;
    copy.displacementBytes = displacementBytes;
    copy.segment = segment;
    copy.bits = bits;
    copy.label = label;
    copy.origin = origin;
    copy.ripRelative = ripRelative;
    copy.far = far;
    copy.times = times;
    return copy;
  }

  /** Returns memory at the address in a register. */
  public static Mem ptr(AddressRegister<?> base) {
    Builder from = new Builder();
    from.base = base;
    return new Mem(from);
  }

  /** Returns memory at a label. */
  public static Mem ptr(Label label) {
    Builder from = new Builder();
    from.label = label;
    return new Mem(from);
  }

  /**
   * Returns memory at an absolute address: 32 bits, sign-extended in 64-bit code, or 64 bits for
   * moves to and from the accumulator.
   */
  public static Mem absolute(long address) {
    Builder from = new Builder();
    from.displacement = address;
    return new Mem(from);
  }

  /** Returns memory at an address outside the code, encoded as a distance; 64-bit code only. */
  public static Mem rip(long address) {
    Builder from = new Builder();
    from.displacement = address;
    from.ripRelative = true;
    return new Mem(from);
  }

  /** An index without a base. */
  public static Mem scaled(AddressRegister<?> index, int scale) {
    return new Mem(new Builder()).index(index, scale);
  }

  /** Indexes in the elements of a vector without a base. */
  public static Mem scaled(VectorRegister index, int scale) {
    return new Mem(new Builder()).index(index, scale);
  }

  /** At an offset in the segment fs: the thread block of 32-bit Windows. */
  public static Mem fs(long offset) {
    return absolute(offset).segment(SegmentRegister.FS);
  }

  /** At an offset in the segment gs: the thread block of 64-bit Windows. */
  public static Mem gs(long offset) {
    return absolute(offset).segment(SegmentRegister.GS);
  }

  /**
   * With an index.
   *
   * @param scale 1, 2, 4 or 8
   * @throws IllegalArgumentException if there is an index already, or the stack pointer is it, or
   *     the base has another size
   */
  public Mem index(AddressRegister<?> register, int scale) {
    if (register == Reg64.RSP || register == Reg32.ESP) {
      throw new IllegalArgumentException(register + " cannot be an index");
    }
    if (base != null && base.bits() != register.bits()) {
      throw new IllegalArgumentException(base + " and " + register + " in one address");
    }
    return indexed(register, scale);
  }

  /**
   * With an index in each element of a vector, for gathers and scatters.
   *
   * @param scale 1, 2, 4 or 8
   * @throws IllegalArgumentException if there is an index already
   */
  public Mem index(VectorRegister register, int scale) {
    return indexed(register, scale);
  }

  private Mem indexed(RegisterOperand register, int factor) {
    if (index != null) {
      throw new IllegalArgumentException("two indexes: " + index + " and " + register);
    }
    if (factor != 1 && factor != 2 && factor != 4 && factor != 8) {
      throw new IllegalArgumentException("scale " + factor + " is not 1, 2, 4 or 8");
    }
    Builder copy = copy();
    copy.index = register;
    copy.scale = factor;
    return new Mem(copy);
  }

  /** With a number added to the displacement. */
  public Mem plus(long more) {
    Builder copy = copy();
    copy.displacement += more;
    return new Mem(copy);
  }

  /**
   * With the address of a label added; 32-bit code only.
   *
   * @throws IllegalArgumentException if there is a label already
   */
  public Mem plus(Label more) {
    Builder copy = labelled();
    copy.label = more;
    return new Mem(copy);
  }

  /**
   * With the number of bytes from one label to another added.
   *
   * @throws IllegalArgumentException if there is a label already
   */
  public Mem plusDistance(Label from, Label to) {
    Builder copy = labelled();
    copy.label = to;
    copy.origin = from;
    return new Mem(copy);
  }

  private Builder labelled() {
    if (label != null || ripRelative) {
      throw new IllegalArgumentException("two labels in one address");
    }
    return copy();
  }

  /** Returns the operand in a segment other than the default of its base. */
  public Mem segment(SegmentRegister other) {
    Builder copy = copy();
    copy.segment = other;
    return new Mem(copy);
  }

  /** With a displacement of one byte, even where none is needed. */
  public Mem disp8() {
    return displacementBytes(1);
  }

  /** With a displacement of four bytes, even where fewer are needed. */
  public Mem disp32() {
    return displacementBytes(4);
  }

  private Mem displacementBytes(int bytes) {
    Builder copy = copy();
    copy.displacementBytes = bytes;
    return new Mem(copy);
  }

  /** A byte. */
  public Mem as8() {
    return as(8);
  }

  /** Two bytes. */
  public Mem as16() {
    return as(16);
  }

  /** Four bytes. */
  public Mem as32() {
    return as(32);
  }

  /** Eight bytes. */
  public Mem as64() {
    return as(64);
  }

  /** Ten bytes: the x87 format. */
  public Mem as80() {
    return as(80);
  }

  /** 16 bytes. */
  public Mem as128() {
    return as(128);
  }

  /** 32 bytes. */
  public Mem as256() {
    return as(256);
  }

  /** 64 bytes. */
  public Mem as512() {
    return as(512);
  }

  /** A segment and an offset of 16 bits, for a far jump or call. */
  public Mem far16() {
    return far(32);
  }

  /** A segment and an offset of 32 bits, for a far jump or call. */
  public Mem far32() {
    return far(48);
  }

  /** A segment and an offset of 64 bits, for a far jump or call; not on all processors. */
  public Mem far64() {
    return far(80);
  }

  private Mem far(int size) {
    Builder copy = copy();
    copy.bits = size;
    copy.far = true;
    return new Mem(copy);
  }

  /**
   * Returns an element that is broadcast to a whole vector, of AVX-512.
   *
   * @param elements number of elements: 2, 4, 8, 16 or 32
   */
  public Mem repeated(int elements) {
    if (elements < 2 || elements > 32 || Integer.bitCount(elements) != 1) {
      throw new IllegalArgumentException("an element repeated " + elements + " times: " + this);
    }
    Builder copy = copy();
    copy.times = elements;
    return new Mem(copy);
  }

  public Mem as(int size) {
    Builder copy = copy();
    copy.bits = size;
    return new Mem(copy);
  }

  public @Nullable AddressRegister<?> base() {
    return base;
  }

  public @Nullable RegisterOperand index() {
    return index;
  }

  public int scale() {
    return scale;
  }

  public long displacement() {
    return displacement;
  }

  /** Bytes that the displacement has to have, or 0. */
  public int displacementBytes() {
    return displacementBytes;
  }

  public @Nullable SegmentRegister segment() {
    return segment;
  }

  /** Returns its size in bits, or 0 if another operand determines it. */
  public int bits() {
    return bits;
  }

  public @Nullable Label label() {
    return label;
  }

  public @Nullable Label origin() {
    return origin;
  }

  public boolean isRipRelative() {
    return ripRelative;
  }

  public boolean isFar() {
    return far;
  }

  /** Returns the number of copies of a broadcast element, or 0. */
  public int times() {
    return times;
  }

  /** Returns true if the address has no register in it. */
  public boolean isDirect() {
    return base == null && index == null;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (far) {
      text.append("far ");
    }
    if (bits != 0) {
      text.append('m').append(bits).append(' ');
    }
    if (segment != null) {
      text.append(segment).append(':');
    }
    text.append('[');
    if (ripRelative) {
      text.append("rip: ");
    }
    if (base != null) {
      text.append(base).append('+');
    }
    if (index != null) {
      text.append(index).append('*').append(scale).append('+');
    }
    if (label != null) {
      text.append(label).append(origin == null ? "" : "-" + origin).append('+');
    }
    text.append(displacement).append(']');
    return times == 0 ? text.toString() : text + " repeated " + times + " times";
  }
}
