package io.ntrail.cli.harness;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.PeSectionContent;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A small library of the invented shop: exported functions with unwind data and with room in front
 * of them, an import, a forwarder, relocations, the id of a PDB.
 *
 * <p>It is {@code samples/shopcore.dll}; {@code ImageTest} compares the two. After a change here
 * run {@link #main} with that path.
 */
public final class SampleImage {
  private static final int INT3 = 0xCC;
  private static final int RBP = 5;
  private static final int RBX = 3;
  private static final int RDI = 7;

  private SampleImage() {}

  /** Writes it. */
  public static void main(String[] args) throws IOException {
    Files.write(Path.of(args[0]), make());
  }

  public static byte[] make() {
    PeBuilder image =
        PeBuilder.library(MachineType.AMD64)
            .name("shopcore.dll")
            .timestamp(1_770_768_000)
            .imports("kernel32.dll", "CloseHandle", "CreateFileW", "ReadFile")
            .pdb(Guid.parse("5e1c7a90-44b2-4c0f-a1d2-b3c4d5e6f708"), 2, "shopcore.pdb");
    PeSectionContent code = image.code();
    begin(code, "DllMain").code(0xB8, 1, 0, 0, 0, 0xC3);
    // mov rax,[rcx+10h]; sub rax,[rcx+8]; sar rax,5; ret
    begin(code, "StockSize")
        .code(0x48, 0x8B, 0x41, 0x10, 0x48, 0x2B, 0x41, 0x08, 0x48, 0xC1, 0xF8, 0x05, 0xC3);
    load(code);
    match(code);
    // A service stub of its own kind: jmp [CloseHandle]
    begin(code, "StockClose").code(0xFF, 0x25).relative("kernel32.dll!CloseHandle");
    image
        .function(
            "StockLoad",
            "StockLoad.end",
            UnwindInfoBuilder.prologue(9).push(2, RBP).frame(5, RBP, 0).allocate(9, 0x20))
        .function(
            "StockMatch",
            "StockMatch.end",
            UnwindInfoBuilder.prologue(10).save(5, RBX, 0x30).push(6, RDI).allocate(10, 0x20))
        .exports("StockClose", "StockClose")
        .exports("StockLoad", "StockLoad")
        .exports("StockMatch", "StockMatch")
        .exports("StockSize", "StockSize")
        .forwards("StockSleep", "KERNEL32.Sleep")
        .entry("DllMain");
    // A table of functions: addresses, which have to be relocated.
    image.constants().label("StockTable").address("StockLoad").address("StockMatch");
    return image.build().file();
  }

  /** Starts a function as compilers for hot patching do: six unused bytes in front. */
  private static PeSectionContent begin(PeSectionContent code, String name) {
    code.fill(6, INT3);
    while (code.size() % 16 != 0) {
      code.fill(1, INT3);
    }
    return code.label(name);
  }

  private static void load(PeSectionContent code) {
    begin(code, "StockLoad")
        // push rbp; mov rbp,rsp; sub rsp,20h
        .code(0x40, 0x55, 0x48, 0x8B, 0xEC, 0x48, 0x83, 0xEC, 0x20)
        // mov rcx,[rcx+18h]; call [CreateFileW]; xor eax,eax
        .code(0x48, 0x8B, 0x49, 0x18, 0xFF, 0x15)
        .relative("kernel32.dll!CreateFileW")
        .code(0x33, 0xC0)
        // add rsp,20h; pop rbp; ret
        .code(0x48, 0x83, 0xC4, 0x20, 0x5D, 0xC3)
        .label("StockLoad.end");
  }

  private static void match(PeSectionContent code) {
    begin(code, "StockMatch")
        // mov [rsp+8],rbx; push rdi; sub rsp,20h
        .code(0x48, 0x89, 0x5C, 0x24, 0x08, 0x57, 0x48, 0x83, 0xEC, 0x20)
        // mov rdi,rcx; call StockSize; mov rbx,rax
        .code(0x48, 0x8B, 0xF9, 0xE8)
        .relative("StockSize")
        .code(0x48, 0x8B, 0xD8)
        // test rbx,rbx; je out; mov rcx,rdi; call StockLoad
        .code(0x48, 0x85, 0xDB, 0x74, 0x08, 0x48, 0x8B, 0xCF, 0xE8)
        .relative("StockLoad")
        // out: mov rbx,[rsp+30h]; add rsp,20h; pop rdi; ret
        .code(0x48, 0x8B, 0x5C, 0x24, 0x30, 0x48, 0x83, 0xC4, 0x20, 0x5F, 0xC3)
        .label("StockMatch.end");
  }
}
