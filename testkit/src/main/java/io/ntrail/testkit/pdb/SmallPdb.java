package io.ntrail.testkit.pdb;

import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Writes a native PDB of a few modules, from the description of the format and apart from the
 * reader: what real samples have not, such as code that was separated from its function. Sections
 * and modules count as they are added, sections from 1.
 */
public final class SmallPdb {
  private static final int STREAMS = 6;
  private static final int DEBUG_STREAMS = 11;

  private final LittleEndian sections = new LittleEndian();
  private final LittleEndian names = new LittleEndian().u8(0);
  private final List<Contribution> contributions = new ArrayList<>();
  private final List<Module> modules = new ArrayList<>();
  private final LittleEndian publics = new LittleEndian();
  private final TreeMap<Long, Integer> publicsByAddress = new TreeMap<>();
  private final TreeMap<Integer, byte[]> debug = new TreeMap<>();
  private int contributionVersion = 1;
  private int flags;
  private UUID id = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");
  private int age = 1;
  private int machine = 0x8664;

  /** A PDB without anything. */
  public SmallPdb() {}

  private record Contribution(int section, int offset, int size, int module) {}

  private record Module(String name, LittleEndian symbols, LittleEndian c11, LittleEndian c13) {}

  private static LittleEndian copy(byte[] bytes) {
    return new LittleEndian().bytes(bytes);
  }

  /** Sets what an image names its PDB by. */
  public SmallPdb id(UUID guid, int newAge) {
    id = guid;
    age = newAge;
    return this;
  }

  /** Sets the machine: 0x8664 unless set. */
  public SmallPdb machine(int newMachine) {
    machine = newMachine;
    return this;
  }

  /** Adds a section of code. */
  public SmallPdb section(String name, int rva, int size) {
    byte[] padded = Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), 8);
    sections.bytes(padded).u32(size).u32(rva).u32(size).u32(rva).zeros(12).u32(0x6000_0020);
    return this;
  }

  /** Adds a module, with its records after the signature, and lines of either generation. */
  public SmallPdb module(String name, byte[] symbols, byte[] c11, byte[] c13) {
    modules.add(new Module(name, copy(symbols), copy(c11), copy(c13)));
    return this;
  }

  /** Adds bytes of code of a module. */
  public SmallPdb contribution(int section, int offset, int size, int module) {
    contributions.add(new Contribution(section, offset, size, module));
    return this;
  }

  /** 1, or 2 as /DEBUG:FASTLINK writes it. */
  public SmallPdb contributionVersion(int version) {
    contributionVersion = version;
    return this;
  }

  /** 1 incrementally linked, 2 stripped. */
  public SmallPdb flags(int bits) {
    flags = bits;
    return this;
  }

  /** Adds a public function. */
  public SmallPdb publicFunction(String name, int section, int offset) {
    publicsByAddress.put((long) section << 32 | offset, publics.size());
    publics.bytes(
        Records.record(0x110E, new LittleEndian().u32(2).u32(offset).u16(section).utf8z(name)));
    return this;
  }

  /** Adds a text to the table of names. */
  public int name(String text) {
    int at = names.size();
    names.utf8z(text);
    return at;
  }

  /**
   * Sets a stream of the optional debug header: 0 is FPO data, 3 and 4 are maps, 9 is frame data,
   * 10 the original sections.
   */
  public SmallPdb debugStream(int content, byte[] bytes) {
    debug.put(content, bytes.clone());
    return this;
  }

  /** The table of the sections so far, for {@link #debugStream}. */
  public byte[] sectionTable() {
    return sections.toByteArray();
  }

  private byte[] info(int namesStream) {
    LittleEndian info = new LittleEndian().u32(20_000_404).u32(0).u32(age).guid(id);
    LittleEndian text = new LittleEndian().utf8z("/names");
    info.u32(text.size()).bytes(text.toByteArray());
    info.u32(1).u32(1).u32(1).u32(1).u32(0).u32(0).u32(namesStream);
    return info.u32(0).u32(20_140_508).toByteArray();
  }

  private byte[] contributions() {
    LittleEndian out =
        new LittleEndian().u32(contributionVersion == 1 ? 0xF12E_BA2DL : 0xF131_51E4L);
    for (Contribution c : contributions) {
      out.u16(c.section).u16(0).u32(c.offset).u32(c.size).u32(0x6050_0020).u16(c.module).u16(0);
      out.u32(0).u32(0);
      if (contributionVersion == 2) {
        out.u32(1);
      }
    }
    return out.toByteArray();
  }

  private byte[] modules() {
    LittleEndian out = new LittleEndian();
    int stream = STREAMS + DEBUG_STREAMS;
    for (Module m : modules) {
      out.align(4).zeros(32).u16(0).u16(stream++);
      out.u32(4L + m.symbols.size()).u32(m.c11.size()).u32(m.c13.size());
      out.zeros(16).utf8z(m.name).utf8z(m.name);
    }
    return out.align(4).toByteArray();
  }

  private byte[] dbi() {
    byte[] modules = modules();
    byte[] contributions = contributions();
    LittleEndian out = new LittleEndian().u32(-1).u32(19_990_903).u32(age);
    // No stream of globals; publics and their records are the last two of the fixed ones.
    out.u16(0xFFFF).u16(0x8E00).u16(4).u16(0).u16(5).u16(0);
    out.u32(modules.length).u32(contributions.length).u32(0).u32(0).u32(0).u32(0);
    out.u32(2 * DEBUG_STREAMS).u32(0).u16(flags).u16(machine).u32(0);
    out.bytes(modules).bytes(contributions);
    for (int i = 0; i < DEBUG_STREAMS; i++) {
      out.u16(i == 5 || debug.containsKey(i) ? STREAMS + i : 0xFFFF);
    }
    return out.toByteArray();
  }

  /** Sorted by address; the hash by name is empty. */
  private byte[] publicsStream() {
    LittleEndian hash = new LittleEndian().u32(-1).u32(0xF12F_091AL).u32(0).u32(516).zeros(516);
    LittleEndian out = new LittleEndian().u32(hash.size()).u32(4L * publicsByAddress.size());
    out.zeros(20).bytes(hash.toByteArray());
    publicsByAddress.values().forEach(out::u32);
    return out.toByteArray();
  }

  /** The container, to be written in any shape. */
  public MsfWriter into(MsfWriter writer) {
    LittleEndian texts =
        new LittleEndian().u32(0xEFFE_EFFEL).u32(1).u32(names.size()).bytes(names.toByteArray());
    int namesStream = STREAMS + DEBUG_STREAMS + modules.size();
    writer.stream(null).stream(info(namesStream)).stream(new byte[0]).stream(dbi());
    writer.stream(publicsStream()).stream(publics.toByteArray());
    for (int i = 0; i < DEBUG_STREAMS; i++) {
      writer.stream(i == 5 ? sections.toByteArray() : debug.get(i));
    }
    for (Module m : modules) {
      LittleEndian stream = new LittleEndian().u32(4).bytes(m.symbols.toByteArray());
      writer.stream(stream.bytes(m.c11.toByteArray()).bytes(m.c13.toByteArray()).toByteArray());
    }
    return writer.stream(texts.u32(0).toByteArray());
  }

  /** The file, with blocks of 4096 bytes. */
  public byte[] write() {
    return into(new MsfWriter(4096)).write();
  }

  /** Records of one module's stream, which name one another by their place in it. */
  public static final class Records {
    private final LittleEndian out = new LittleEndian();

    /** None. */
    public Records() {}

    /** Returns the offset of the next record in the stream. */
    public int at() {
      return 4 + out.size();
    }

    static byte[] record(int kind, LittleEndian body) {
      body.align(4);
      return new LittleEndian()
          .u16(body.size() + 2)
          .u16(kind)
          .bytes(body.toByteArray())
          .toByteArray();
    }

    /** Adds any record. */
    public Records add(int kind, LittleEndian body) {
      out.bytes(record(kind, body));
      return this;
    }

    /** S_GPROC32, whose scope has what the records in it add, and ends after them. */
    public Records procedure(String name, int section, int offset, int length, Records inner) {
      int end = at() + 4 + (35 + name.length() + 1 + 3 & ~3) + inner.out.size();
      LittleEndian body = new LittleEndian().u32(0).u32(end).u32(0).u32(length).u32(0).u32(length);
      add(0x1110, body.u32(0).u32(offset).u16(section).u8(0).utf8z(name));
      out.bytes(inner.out.toByteArray());
      return add(6, new LittleEndian());
    }

    /** S_BLOCK32 and its end; the scope around it begins at a place. */
    public Records block(String name, int parent, int end, int section, int offset, int length) {
      LittleEndian body = new LittleEndian().u32(parent).u32(end).u32(length).u32(offset);
      return add(0x1103, body.u16(section).utf8z(name)).add(6, new LittleEndian());
    }

    /** S_THUNK32 and its end. */
    public Records thunk(String name, int ordinal, int section, int offset, int length) {
      int end = at() + 4 + (21 + name.length() + 1 + 3 & ~3);
      LittleEndian body = new LittleEndian().u32(0).u32(end).u32(0).u32(offset).u16(section);
      return add(0x1102, body.u16(length).u8(ordinal).utf8z(name)).add(6, new LittleEndian());
    }

    /** S_SEPCODE and its end. */
    public Records separated(int section, int offset, int length, int parentSection, int parent) {
      LittleEndian body = new LittleEndian().u32(0).u32(at() + 32).u32(length).u32(0).u32(offset);
      return add(0x1132, body.u32(parent).u16(section).u16(parentSection))
          .add(6, new LittleEndian());
    }

    /** S_TRAMPOLINE. */
    public Records trampoline(int section, int offset, int length, int toSection, int toOffset) {
      LittleEndian body = new LittleEndian().u16(0).u16(length).u32(offset).u32(toOffset);
      return add(0x112C, body.u16(section).u16(toSection));
    }

    /** Returns all bytes. */
    public byte[] toByteArray() {
      return out.toByteArray();
    }
  }

  /** Lines of a stretch of code in one file, as C13: pairs of an offset and a line. */
  public static byte[] lines(int section, int offset, int size, int fileName, int... pairs) {
    LittleEndian out = new LittleEndian().u32(0xF4).u32(8).u32(fileName).u8(0).u8(0).align(4);
    out.u32(0xF2).u32(24 + 4L * pairs.length).u32(offset).u16(section).u16(0).u32(size);
    out.u32(0).u32(pairs.length / 2).u32(12 + 4L * pairs.length);
    for (int i = 0; i < pairs.length; i += 2) {
      out.u32(pairs[i]).u32(0x8000_0000L | pairs[i + 1]);
    }
    return out.toByteArray();
  }
}
