package io.ntrail.formats.pe.build;

import io.ntrail.formats.collections.Growth;
import io.ntrail.formats.pe.fixups.Relocations;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Content of a section of an image under construction: little-endian bytes, labels, and references
 * to labels, which are resolved once everything is laid out.
 *
 * <p>Every method returns this object, so that a layout reads as one chain.
 */
public final class PeSectionContent {
  /** Kinds of references to labels. */
  enum Use {
    /** 32 bits: its RVA. */
    RVA,
    /** A pointer: its address where the image prefers to be, which is relocated. */
    ADDRESS,
    /** An address in 32 bits in an image of 64 bits. */
    ADDRESS32,
    /** 32 bits: the distance from the end of these bits. */
    RELATIVE,
    /** 32 bits: the distance from another label. */
    DISTANCE,
    /** 32 bits: where in the file it is. */
    OFFSET
  }

  /** A use of a name. */
  record Link(int at, Use use, String name, long add, String other) {}

  /** A base relocation that is not that of a {@link Use#ADDRESS}. */
  record Fixed(int at, int type, int low) {}

  /** A place. */
  record Place(PeSectionContent part, int at) {}

  private final PeBuilder image;
  private final List<Link> links = new ArrayList<>();
  private final List<Fixed> relocations = new ArrayList<>();
  private byte[] bytes = new byte[256];
  private int size;
  private long reserved;

  PeSectionContent(PeBuilder image) {
    this.image = image;
  }

  /** Returns the number of bytes written. */
  public int size() {
    return size;
  }

  byte[] content() {
    return Arrays.copyOf(bytes, size);
  }

  long reserved() {
    return reserved;
  }

  List<Link> links() {
    return links;
  }

  List<Fixed> relocations() {
    return relocations;
  }

  private void room(int more) {
    if (reserved > 0) {
      throw new IllegalStateException("bytes after what was reserved have no place");
    }
    if (size > Integer.MAX_VALUE - 16 - more) {
      throw new IllegalStateException("a part of an image is larger than 2 GiB");
    }
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Growth.length(bytes.length, size + more));
    }
  }

  private PeSectionContent number(long value, int width) {
    room(width);
    for (int i = 0; i < width; i++) {
      bytes[size++] = (byte) (value >>> 8 * i);
    }
    return this;
  }

  /** One byte. */
  public PeSectionContent u8(int value) {
    return number(value, 1);
  }

  /** Two bytes. */
  public PeSectionContent u16(int value) {
    return number(value, 2);
  }

  /** Four bytes. */
  public PeSectionContent u32(long value) {
    return number(value, 4);
  }

  /** Eight bytes. */
  public PeSectionContent u64(long value) {
    return number(value, 8);
  }

  /** Writes as many bytes as a pointer of the image has. */
  public PeSectionContent pointer(long value) {
    return number(value, image.pointerBytes());
  }

  /** These bytes; each is given as a number for the sake of machine code. */
  public PeSectionContent code(int... more) {
    for (int one : more) {
      u8(one);
    }
    return this;
  }

  /** These bytes. */
  public PeSectionContent bytes(byte[] more) {
    room(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
    return this;
  }

  /** UTF-8 text and a NUL. */
  public PeSectionContent text(String text) {
    return bytes(text.getBytes(StandardCharsets.UTF_8)).u8(0);
  }

  /** UTF-16 text, without a NUL. */
  public PeSectionContent utf16(String text) {
    return bytes(text.getBytes(StandardCharsets.UTF_16LE));
  }

  /** Writes one byte several times. */
  public PeSectionContent fill(int count, int value) {
    room(count);
    Arrays.fill(bytes, size, size + count, (byte) value);
    size += count;
    return this;
  }

  /** Zeros up to a multiple of {@code unit}. */
  public PeSectionContent align(int unit) {
    return align(unit, 0);
  }

  /** Writes one byte up to a multiple of {@code unit}. */
  public PeSectionContent align(int unit, int value) {
    return fill((unit - size % unit) % unit, value);
  }

  /** Reserves memory after the bytes, which the file does not store; nothing may follow it. */
  public PeSectionContent reserve(long count) {
    reserved += count;
    return this;
  }

  /**
   * Puts a label after what was written or reserved so far.
   *
   * @throws IllegalStateException if the image has the label already
   */
  public PeSectionContent label(String name) {
    image.place(name, new Place(this, (int) (size + reserved)));
    return this;
  }

  private PeSectionContent link(Use use, String name, long add, String other, int width) {
    links.add(new Link(size, use, name, add, other));
    return number(0, width);
  }

  /** The RVA of a place, in four bytes. */
  public PeSectionContent rva(String name) {
    return rva(name, 0);
  }

  /** The RVA of a place and this much more, in four bytes. */
  public PeSectionContent rva(String name, long add) {
    return link(Use.RVA, name, add, "", 4);
  }

  /** The address of a place, as a pointer with its base relocation. */
  public PeSectionContent address(String name) {
    return link(Use.ADDRESS, name, 0, "", image.pointerBytes());
  }

  /** The address of a place in four bytes, with its base relocation. */
  public PeSectionContent address32(String name) {
    return link(image.pointerBytes() == 4 ? Use.ADDRESS : Use.ADDRESS32, name, 0, "", 4);
  }

  /**
   * Writes the distance of a label from the end of the four bytes: the operand of a call or a jump.
   */
  public PeSectionContent relative(String name) {
    return relative(name, 0);
  }

  /**
   * Writes the distance of a label from the end of an instruction.
   *
   * @param behind bytes of the instruction that follow the four
   */
  public PeSectionContent relative(String name, int behind) {
    return link(Use.RELATIVE, name, -behind, "", 4);
  }

  /** Writes the distance from one label to another, in four bytes. */
  public PeSectionContent distance(String from, String to) {
    return link(Use.DISTANCE, to, 0, from, 4);
  }

  /** Writes the file offset of a label, in four bytes. */
  public PeSectionContent fileOffset(String name) {
    return link(Use.OFFSET, name, 0, "", 4);
  }

  /** A base relocation of any type for what is written next. */
  public PeSectionContent relocation(int type) {
    relocations.add(new Fixed(size, type, 0));
    return this;
  }

  /** A base relocation of type HIGHADJ for what is written next. */
  public PeSectionContent highAdjusted(int low) {
    relocations.add(new Fixed(size, Relocations.HIGHADJ, low));
    return this;
  }

  /** Writes over four bytes that were written before. */
  PeSectionContent setU32(int at, long value) {
    for (int i = 0; i < 4; i++) {
      bytes[at + i] = (byte) (value >>> 8 * i);
    }
    return this;
  }
}
