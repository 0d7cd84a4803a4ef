package io.ntrail.cli.shell;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.PeSectionContent;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A made-up library that has what those of Windows have and samples built with free compilers lack:
 * a version, tables of Control Flow Guard, forwarded exports, code for several threads.
 */
final class PractisedImage {
  /** Functions: from a thousand on, several threads go over the code. */
  private static final int FUNCTIONS = 1_200;

  /** Functions that are exported. */
  private static final int EXPORTS = 40;

  private static final Guid PDB = Guid.parse("0a0b0c0d-0e0f-1011-1213-141516171819");

  private PractisedImage() {}

  /** Writes the library. */
  static void write(Path file) throws IOException {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .name("practised.dll")
            .imports("ntdll.dll", "RtlAllocateHeap", "RtlFreeHeap", "#8")
            .imports("kernelbase.dll", "CreateFileW", "CloseHandle")
            .delayImports("late.dll", true, "function0", "Later")
            .forwards("Forwarded", "NTDLL.RtlForwarded")
            .pdb(PDB, 1, "practised.pdb")
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
    Files.write(file, library.build().file());
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
    byte[] numbers =
        ByteBuffer.allocate(52)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(0xFEEF_04BD)
            .putInt(0x1_0000)
            .putInt(0xA_0000)
            .putInt(0x4A61_0001)
            .putInt(0xA_0000)
            .putInt(0x4A61_0001)
            .array();
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
                text("FileDescription", "What is practised with"),
                text("FileVersion", "10.0.19041.1"),
                text("OriginalFilename", "practised.dll"),
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
    ByteBuffer.wrap(node)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putShort((short) node.length)
        .putShort((short) units)
        .putShort((short) type);
    return node;
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
