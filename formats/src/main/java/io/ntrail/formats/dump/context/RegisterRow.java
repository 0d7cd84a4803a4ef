package io.ntrail.formats.dump.context;

import static io.ntrail.formats.dump.context.ContextKind.Group.CONTROL;
import static io.ntrail.formats.dump.context.ContextKind.Group.DEBUG;
import static io.ntrail.formats.dump.context.ContextKind.Group.FLOATING_POINT;
import static io.ntrail.formats.dump.context.ContextKind.Group.INTEGER;
import static io.ntrail.formats.dump.context.ContextKind.Group.SEGMENTS;

import io.ntrail.formats.dump.context.ContextKind.Group;
import java.util.ArrayList;
import java.util.List;

/**
 * A register of a layout.
 *
 * @param offset bytes from the start of the CONTEXT
 * @param bytes 1 to 8
 * @param number by which instructions encode it, if it is a general register; else -1
 */
record RegisterRow(String name, int offset, int bytes, Group group, int number) {
  private static final List<RegisterRow> X86 = ofX86();
  private static final List<RegisterRow> X64 = List.copyOf(ofX64());
  private static final List<RegisterRow> ARM64 = List.copyOf(ofArm64());

  /** Returns the registers of a layout in the order in which people read them. */
  static List<RegisterRow> of(ContextKind kind) {
    return switch (kind) {
      case X86 -> X86;
      case X64 -> X64;
      case ARM64 -> ARM64;
    };
  }

  private static List<RegisterRow> ofX86() {
    return List.of(
        new RegisterRow("eax", 0xB0, 4, INTEGER, 0),
        new RegisterRow("ebx", 0xA4, 4, INTEGER, 3),
        new RegisterRow("ecx", 0xAC, 4, INTEGER, 1),
        new RegisterRow("edx", 0xA8, 4, INTEGER, 2),
        new RegisterRow("esi", 0xA0, 4, INTEGER, 6),
        new RegisterRow("edi", 0x9C, 4, INTEGER, 7),
        new RegisterRow("eip", 0xB8, 4, CONTROL, -1),
        new RegisterRow("esp", 0xC4, 4, CONTROL, 4),
        new RegisterRow("ebp", 0xB4, 4, CONTROL, 5),
        new RegisterRow("eflags", 0xC0, 4, CONTROL, -1),
        new RegisterRow("cs", 0xBC, 4, CONTROL, -1),
        new RegisterRow("ss", 0xC8, 4, CONTROL, -1),
        new RegisterRow("ds", 0x98, 4, SEGMENTS, -1),
        new RegisterRow("es", 0x94, 4, SEGMENTS, -1),
        new RegisterRow("fs", 0x90, 4, SEGMENTS, -1),
        new RegisterRow("gs", 0x8C, 4, SEGMENTS, -1),
        new RegisterRow("dr0", 0x04, 4, DEBUG, -1),
        new RegisterRow("dr1", 0x08, 4, DEBUG, -1),
        new RegisterRow("dr2", 0x0C, 4, DEBUG, -1),
        new RegisterRow("dr3", 0x10, 4, DEBUG, -1),
        new RegisterRow("dr6", 0x14, 4, DEBUG, -1),
        new RegisterRow("dr7", 0x18, 4, DEBUG, -1));
  }

  private static List<RegisterRow> ofX64() {
    List<RegisterRow> rows = new ArrayList<>();
    rows.add(new RegisterRow("rax", 0x78, 8, INTEGER, 0));
    rows.add(new RegisterRow("rbx", 0x90, 8, INTEGER, 3));
    rows.add(new RegisterRow("rcx", 0x80, 8, INTEGER, 1));
    rows.add(new RegisterRow("rdx", 0x88, 8, INTEGER, 2));
    rows.add(new RegisterRow("rsi", 0xA8, 8, INTEGER, 6));
    rows.add(new RegisterRow("rdi", 0xB0, 8, INTEGER, 7));
    rows.add(new RegisterRow("rip", 0xF8, 8, CONTROL, -1));
    rows.add(new RegisterRow("rsp", 0x98, 8, CONTROL, 4));
    rows.add(new RegisterRow("rbp", 0xA0, 8, INTEGER, 5));
    for (int number = 8; number < 16; number++) {
      rows.add(new RegisterRow("r" + number, 0xB8 + 8 * (number - 8), 8, INTEGER, number));
    }
    rows.add(new RegisterRow("eflags", 0x44, 4, CONTROL, -1));
    rows.add(new RegisterRow("cs", 0x38, 2, CONTROL, -1));
    rows.add(new RegisterRow("ss", 0x42, 2, CONTROL, -1));
    rows.add(new RegisterRow("ds", 0x3A, 2, SEGMENTS, -1));
    rows.add(new RegisterRow("es", 0x3C, 2, SEGMENTS, -1));
    rows.add(new RegisterRow("fs", 0x3E, 2, SEGMENTS, -1));
    rows.add(new RegisterRow("gs", 0x40, 2, SEGMENTS, -1));
    rows.add(new RegisterRow("mxcsr", 0x34, 4, FLOATING_POINT, -1));
    rows.add(new RegisterRow("dr0", 0x48, 8, DEBUG, -1));
    rows.add(new RegisterRow("dr1", 0x50, 8, DEBUG, -1));
    rows.add(new RegisterRow("dr2", 0x58, 8, DEBUG, -1));
    rows.add(new RegisterRow("dr3", 0x60, 8, DEBUG, -1));
    rows.add(new RegisterRow("dr6", 0x68, 8, DEBUG, -1));
    rows.add(new RegisterRow("dr7", 0x70, 8, DEBUG, -1));
    return rows;
  }

  private static List<RegisterRow> ofArm64() {
    List<RegisterRow> rows = new ArrayList<>();
    for (int number = 0; number < 29; number++) {
      rows.add(new RegisterRow("x" + number, 8 + 8 * number, 8, INTEGER, number));
    }
    rows.add(new RegisterRow("fp", 0xF0, 8, CONTROL, 29));
    rows.add(new RegisterRow("lr", 0xF8, 8, CONTROL, 30));
    rows.add(new RegisterRow("sp", 0x100, 8, CONTROL, 31));
    rows.add(new RegisterRow("pc", 0x108, 8, CONTROL, -1));
    rows.add(new RegisterRow("cpsr", 4, 4, CONTROL, -1));
    rows.add(new RegisterRow("fpcr", 0x310, 4, FLOATING_POINT, -1));
    rows.add(new RegisterRow("fpsr", 0x314, 4, FLOATING_POINT, -1));
    return rows;
  }
}
