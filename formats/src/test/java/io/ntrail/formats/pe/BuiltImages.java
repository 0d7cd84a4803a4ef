package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.PeSectionContent;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;

/** Images that {@link PeBuilder} makes for tests. */
public final class BuiltImages {
  static final Guid PDB = Guid.parse("68fdd900-4a3e-11d1-84f4-0000f80464e3");

  private BuiltImages() {}

  public static PeImage image(PeBuilder builder) {
    return image(builder.build());
  }

  public static PeImage image(PeBuilder.Built built) {
    return PeImage.ofFile(InputFile.of(built.file(), "built.dll"));
  }

  /**
   * A program of x64 that prints what the library {@code answer.dll} says, and exits with what its
   * function {@code seven} returns; the text comes through a pointer that has a base relocation.
   */
  public static PeBuilder printing() {
    PeBuilder program =
        PeBuilder.program(MachineType.AMD64)
            .imports("KERNEL32.dll", "GetStdHandle", "WriteFile", "ExitProcess")
            .imports("answer.dll", "seven", "#5");
    program.constants().label("text").bytes("built by hand\n".getBytes(StandardCharsets.US_ASCII));
    program.data().label("pointer").address("text").label("written").reserve(8);
    program
        .code()
        .label("main")
        // sub rsp, 38h
        .code(0x48, 0x83, 0xEC, 0x38)
        .label("main.body")
        // mov ecx, -11; call GetStdHandle
        .code(0xB9, 0xF5, 0xFF, 0xFF, 0xFF, 0xFF, 0x15)
        .relative("KERNEL32.dll!GetStdHandle")
        // mov rcx, rax; mov rdx, [pointer]; mov r8d, 14; lea r9, [written]
        .code(0x48, 0x89, 0xC1, 0x48, 0x8B, 0x15)
        .relative("pointer")
        .code(0x41, 0xB8, 14, 0, 0, 0, 0x4C, 0x8D, 0x0D)
        .relative("written")
        // mov qword ptr [rsp+20h], 0; call WriteFile
        .code(0x48, 0xC7, 0x44, 0x24, 0x20, 0, 0, 0, 0, 0xFF, 0x15)
        .relative("KERNEL32.dll!WriteFile")
        // call seven; mov ebx, eax; call #5; lea ecx, [rax + rbx]
        .code(0xFF, 0x15)
        .relative("answer.dll!seven")
        .code(0x89, 0xC3, 0xFF, 0x15)
        .relative("answer.dll!#5")
        .code(0x8D, 0x0C, 0x18, 0xFF, 0x15)
        .relative("KERNEL32.dll!ExitProcess")
        .code(0xCC)
        .label("main.end");
    return program
        .entry("main")
        .function("main", "main.end", UnwindInfoBuilder.prologue(4).allocate(4, 0x38));
  }

  /** The library of it, which also forwards a function to the system. */
  public static PeBuilder answer() {
    PeBuilder library = PeBuilder.library(MachineType.AMD64).name("answer.dll");
    library
        .code()
        .label("start")
        // mov eax, 1; ret
        .code(0xB8, 1, 0, 0, 0, 0xC3)
        .align(16, 0xCC)
        .label("seven")
        .code(0xB8, 7, 0, 0, 0, 0xC3)
        .align(16, 0xCC)
        .label("thirty")
        .code(0xB8, 30, 0, 0, 0, 0xC3);
    return library
        .entry("start")
        .exports("seven", "seven")
        .exports(5, null, "thirty")
        .exports("Sleep", "start")
        .forwards("Wait", "KERNEL32.Sleep");
  }

  /** A library of a machine with one of everything that the builder can write. */
  public static PeBuilder everything(int machine) {
    boolean wide = machine == MachineType.AMD64;
    PeBuilder library =
        PeBuilder.library(machine)
            .name("everything.dll")
            .timestamp(0x5F00_0000)
            .imports("first.dll", "One", "#2", "Three")
            .imports("second.dll", "Four")
            .delayImports("late.dll", false, "loader", "Later", "#9")
            .exports("alpha", "alpha")
            .exports(12, "Zulu", "beta")
            .exports(15, null, "data")
            .forwards("mike", "NTDLL.RtlMike")
            .forwards("november", "NTDLL.#77")
            .pdb(PDB, 3, "C:\\built\\everything.pdb")
            .debug(DebugDirectory.ILTCG, new byte[0])
            .tls("tls.begin", "tls.end", "tls.index", 64, "alpha", "beta")
            .resource("#10", "#1", 0x409, "text".getBytes(StandardCharsets.US_ASCII))
            .resource("#10", "NAMED", 0x407, "Text".getBytes(StandardCharsets.US_ASCII))
            .resource("KIND", "#3", 0, new byte[] {1, 2, 3})
            .loadConfig(wide ? 0x140 : 0xC0)
            .configure(Field.SECURITY_COOKIE, "cookie")
            .configure(Field.GUARD_FLAGS, 0x0001_0500)
            .configure(Field.GUARD_CF_FUNCTION_TABLE, "guarded")
            .configure(Field.GUARD_CF_FUNCTION_COUNT, 2);
    library
        .code()
        .label("alpha")
        .code(0x53, 0xC3)
        .label("alpha.end")
        .align(16, 0xCC)
        .label("beta")
        .code(0xC3)
        .label("beta.end")
        .align(16, 0xCC)
        .label("loader")
        .code(0xCC);
    library.constants().align(8).label("guarded").rva("alpha").rva("beta").align(8);
    library.constants().label("tls.begin").u64(1).label("tls.end").u64(0);
    library
        .data()
        .label("cookie")
        .pointer(0x2B99_2DDFL)
        .label("data")
        .address("alpha")
        .address("data")
        .label("tls.index")
        .u32(0)
        .reserve(0x3000);
    if (wide) {
      library
          .function(
              "alpha", "alpha.end", UnwindInfoBuilder.prologue(1).push(1, 3).epilogues(1, true))
          .function(
              "beta",
              "beta.end",
              UnwindInfoBuilder.prologue(0)
                  .handler(true, true, "loader", part -> part.u32(0x1234)));
    }
    return library;
  }

  /** A library with what images rarely have: everything that the load configuration points to. */
  static PeBuilder special() {
    PeBuilder library =
        PeBuilder.library(MachineType.AMD64)
            .imports("ntoskrnl.exe", "One", "Two")
            .delayImports("old.dll", true, "code", "Later")
            .rich(
                new LittleEndian()
                    .u32(0x536E_6144 ^ 77)
                    .u32(77)
                    .u32(77)
                    .u32(77)
                    .u32(0x0104_7809 ^ 77)
                    .u32(7 ^ 77)
                    .u32(0x6863_6952)
                    .u32(77)
                    .toByteArray())
            .certificate(new byte[40])
            .overlay(new byte[20])
            .resource("#16", "#1", 0x409, version())
            .loadConfig(0x140)
            .configure(Field.DYNAMIC_VALUE_RELOC_TABLE, "dynamic")
            .configure(Field.CHPE_METADATA_POINTER, "hybrid")
            .configure(Field.HOT_PATCH_TABLE_OFFSET, "patch")
            .configure(Field.ENCLAVE_CONFIGURATION_POINTER, "enclave")
            .configure(Field.VOLATILE_METADATA_POINTER, "volatile")
            .configure(Field.GUARD_FLAGS, 0x1041_0500)
            .configure(Field.GUARD_EH_CONTINUATION_TABLE, "code")
            .configure(Field.GUARD_EH_CONTINUATION_COUNT, 3);
    library.code().label("code").fill(0x60, 0x90);
    LittleEndian imports = block(0x1000, new LittleEndian().u32(0x3004).u32(0x2010));
    LittleEndian override =
        new LittleEndian()
            .u32(20)
            .u32(0x1010)
            .u32(0)
            .u32(4)
            .u32(0)
            .u32(0x1020)
            .u32(1)
            .u32(24)
            .u16(1)
            .u16(2)
            .u32(3)
            .u16(1)
            .u16(1)
            .u32(0)
            .u16(0)
            .u16(0)
            .u32(0);
    LittleEndian lists = new LittleEndian();
    list(lists, 3, imports);
    list(lists, 7, override);
    list(
        lists,
        6,
        block(0x1000, new LittleEndian().u16(0x8010).u16(0x5020).u16(1).u16(0x2040).u16(3)));
    list(lists, 0xFFFF_F780_0000_0000L, block(0x1000, new LittleEndian().u16(0xA030)));
    PeSectionContent data = library.constants();
    data.align(8).label("dynamic").u32(2).u32(lists.size()).bytes(lists.toByteArray());
    data.align(8).label("hybrid").u32(2).rva("map").u32(2).rva("map").rva("map").fill(24, 0);
    data.rva("map").u32(1).u32(1).fill(32, 0);
    data.label("map").u32(0x1001).u32(0x20).u32(0x1022).u32(0x20).u32(0);
    data.label("patch").u32(4).u32(100).u32(1).u32(36).u32(2).fill(16 + 64, 1);
    data.label("enclave").u32(0x50).u32(0x50).u32(1).u32(1).rva("imports").u32(80).fill(56, 2);
    data.label("imports").fill(72, 3).rva("code").u32(0);
    data.label("volatile").u32(24).u32(1).rva("map").u32(8).rva("map").u32(16);
    data.align(4).label("clr").u32(72).u32(0x5_0002).rva("metadata").u32(32).u32(1).fill(44, 0);
    data.rva("metadata").u32(16);
    data.label("metadata").u32(0x424A_5342).u64(0).u32(12).text("v4.0.30319");
    return library.directory(DataDirectory.CLR, "clr", 72);
  }

  private static LittleEndian block(long page, LittleEndian entries) {
    entries.align(4);
    return new LittleEndian().u32(page).u32(8 + entries.size()).bytes(entries.toByteArray());
  }

  private static void list(LittleEndian lists, long symbol, LittleEndian body) {
    lists.u32(24).u32(body.size()).u64(symbol).u32(0).u32(0).bytes(body.toByteArray());
  }

  /** A version resource with one text. */
  static byte[] version() {
    LittleEndian text = node(6, 1, "Comment", new LittleEndian().utf16z("hello"));
    LittleEndian table = node(0, 1, "040904b0", text);
    LittleEndian texts = node(0, 1, "StringFileInfo", table);
    LittleEndian translation = node(4, 0, "Translation", new LittleEndian().u16(0x409).u16(0x4B0));
    LittleEndian variables = node(0, 1, "VarFileInfo", translation);
    LittleEndian value = new LittleEndian().u32(0xFEEF_04BDL).u32(0x1_0000);
    value.u32(0x1_0002).u32(0x3_0004).u32(0x5_0006).u32(0x7_0008).fill(28, 0);
    value.bytes(texts.toByteArray()).align(4).bytes(variables.toByteArray());
    return node(52, 0, "VS_VERSION_INFO", value).toByteArray();
  }

  private static LittleEndian node(int valueSize, int type, String key, LittleEndian content) {
    LittleEndian node = new LittleEndian().u16(0).u16(valueSize).u16(type).utf16z(key).align(4);
    node.bytes(content.toByteArray());
    return node.setU16(0, node.size());
  }
}
