package io.ntrail.formats.pe.build;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.MachineType;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A made-up library of x64 that has what those of Windows have and images of free compilers lack: a
 * version, tables of Control Flow Guard, forwarded exports, chained unwind information, more than a
 * thousand functions.
 */
public final class TypicalLibrary {
  /** Functions: from a thousand on, several threads go over the code. */
  private static final int FUNCTIONS = 1_200;

  /** Functions that are exported. */
  private static final int EXPORTS = 40;

  private static final Guid PDB = Guid.parse("0a0b0c0d-0e0f-1011-1213-141516171819");

  private TypicalLibrary() {}

  /** Returns the library as a file. */
  public static byte[] file() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .name("typical.dll")
            .imports("ntdll.dll", "RtlAllocateHeap", "RtlFreeHeap", "#8")
            .imports("kernelbase.dll", "CreateFileW", "CloseHandle")
            .delayImports("late.dll", true, "function0", "Later")
            .forwards("Forwarded", "NTDLL.RtlForwarded")
            .pdb(PDB, 1, "typical.pdb")
            .resource("#16", "#1", 0x409, version())
            .resource("#24", "#2", 0x409, "<assembly/>".getBytes(StandardCharsets.US_ASCII))
            .loadConfig(0x140)
            .configure(Field.SECURITY_COOKIE, "cookie")
            .configure(Field.GUARD_FLAGS, 0x0001_0500)
            .configure(Field.GUARD_CF_FUNCTION_TABLE, "guarded")
            .configure(Field.GUARD_CF_FUNCTION_COUNT, FUNCTIONS / 2);
    PeSectionContent code = library.code();
    PeSectionContent guarded = library.constants().align(8).label("guarded");
    for (int i = 0; i < FUNCTIONS; i++) {
      function(library, code, i);
      if (i % 2 == 0) {
        guarded.rva("function" + i);
      }
      if (i % (FUNCTIONS / EXPORTS) == 0) {
        library.exports("Function" + i, "function" + i);
      }
    }
    library.exports(900, null, "function1").entry("function0");
    guarded.align(8);
    library.data().label("cookie").pointer(0x2B99_2DDF_A232L).address("function0").reserve(0x2000);
    return library.build().file();
  }

  private static void function(PeBuilder library, PeSectionContent code, int i) {
    String name = "function" + i;
    code.label(name)
        // push rbx; sub rsp, 20h
        .code(0x40, 0x53, 0x48, 0x83, 0xEC, 0x20)
        // mov rbx, rcx; lea rax, [cookie]; test eax, eax; je +5
        .code(0x48, 0x8B, 0xD9, 0x48, 0x8D, 0x05)
        .relative("cookie")
        .code(0x85, 0xC0, 0x74, 0x05, 0xE8)
        .relative("function" + i * 7 % FUNCTIONS)
        // add rsp, 20h; pop rbx
        .code(0x48, 0x83, 0xC4, 0x20, 0x5B);
    switch (i % 3) {
      // jmp [RtlFreeHeap]
      case 0 -> code.code(0xFF, 0x25).relative("ntdll.dll!RtlFreeHeap");
      default -> code.code(0xC3);
    }
    code.label(name + ".end").align(16, 0xCC);
    if (i % 5 == 0) {
      code.fill(16, 0xCC);
    }
    library.function(name, name + ".end", UnwindInfoBuilder.prologue(6).allocate(6, 32).push(2, 3));
    if (i % 100 == 0) {
      code.label(name + ".cold").code(0x33, 0xC0, 0xEB, 0xFE).label(name + ".cold.end");
      code.align(16, 0xCC);
      library.function(
          name + ".cold", name + ".cold.end", UnwindInfoBuilder.prologue(0).chained(name));
    }
  }

  /** A version resource, as {@code VS_VERSIONINFO} in verrsrc.h. */
  private static byte[] version() {
    byte[] numbers = new byte[52];
    int[] first = {0xFEEF_04BD, 0x1_0000, 0xA_0000, 0x4A61_0001, 0xA_0000, 0x4A61_0001};
    for (int i = 0; i < first.length; i++) {
      u16(numbers, 4 * i, first[i]);
      u16(numbers, 4 * i + 2, first[i] >>> 16);
    }
    byte[] texts =
        node(
            "StringFileInfo",
            1,
            new byte[0],
            node(
                "040904b0",
                1,
                new byte[0],
                text("CompanyName", "A company"),
                text("FileDescription", "A library of functions"),
                text("FileVersion", "10.0.19041.1"),
                text("OriginalFilename", "typical.dll"),
                text("ProductName", "Windows"),
                text("ProductVersion", "10.0.19041.1")));
    byte[] translation = node("Translation", 0, new byte[] {0x09, 0x04, (byte) 0xB0, 0x04});
    return node(
        "VS_VERSION_INFO", 0, numbers, texts, node("VarFileInfo", 1, new byte[0], translation));
  }

  private static byte[] text(String key, String value) {
    return node(key, 1, utf16(value));
  }

  private static byte[] node(String key, int type, byte[] value, byte[]... children) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.writeBytes(new byte[6]);
    content.writeBytes(utf16(key));
    align(content);
    content.writeBytes(value);
    for (byte[] child : children) {
      align(content);
      content.writeBytes(child);
    }
    byte[] node = content.toByteArray();
    int units = type == 1 ? value.length / 2 : value.length;
    u16(node, 0, node.length);
    u16(node, 2, units);
    u16(node, 4, type);
    return node;
  }

  private static void u16(byte[] into, int at, int value) {
    into[at] = (byte) value;
    into[at + 1] = (byte) (value >>> 8);
  }

  private static byte[] utf16(String text) {
    return (text + '\0').getBytes(StandardCharsets.UTF_16LE);
  }

  private static void align(ByteArrayOutputStream content) {
    while (content.size() % 4 != 0) {
      content.write(0);
    }
  }
}
