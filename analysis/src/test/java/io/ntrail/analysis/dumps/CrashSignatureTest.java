package io.ntrail.analysis.dumps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Signatures are those of docs/stacks.md. */
class CrashSignatureTest {
  private static NamedFrame frame(FrameTrust trust, String text) {
    NamedFrame bare = NamedFrame.of(trust, 0x1234);
    int mark = text.indexOf('!');
    return mark < 0
        ? bare.in(text, 0x1234)
        : bare.in(text.substring(0, mark), 0x1234).named(text.substring(mark + 1));
  }

  private static String of(String... frames) {
    List<NamedFrame> stack = new ArrayList<>();
    for (String frame : frames) {
      stack.add(frame(stack.isEmpty() ? FrameTrust.CONTEXT : FrameTrust.UNWIND, frame));
    }
    return CrashSignature.of(Optional.empty(), stack).text();
  }

  @Test
  void functionsHaveNeitherOffsetsNorParametersNorTheCaseOfModules() {
    assertEquals(
        "NO EXCEPTION | shop.dll!Stock::Load | shop.dll!Open | kernel32.dll!BaseThreadInitThunk",
        of(
            "Shop.dll!Stock::Load(char const *) const",
            "SHOP.DLL!Open(Str const &,void (*)(int))",
            "kernel32.dll!BaseThreadInitThunk"));
    assertEquals("NO EXCEPTION | a.dll!Call<void (int)>", of("a.dll!Call<void (int)>"));
    assertEquals("NO EXCEPTION | a.dll!T::operator()", of("a.dll!T::operator()"));
    assertEquals("NO EXCEPTION | a.dll!T::operator()", of("a.dll!T::operator()(int)"));
  }

  @Test
  void codeWithoutNamesHasItsPlace() {
    assertEquals("NO EXCEPTION | a.dll+0x1234", of("A.dll"));
    assertEquals(
        "NO EXCEPTION | (no module)",
        CrashSignature.of(Optional.empty(), List.of(NamedFrame.of(FrameTrust.CONTEXT, 5))).text());
  }

  @Test
  void functionsThatRaiseAndReportAreLeftOut() {
    assertEquals(
        "NO EXCEPTION | shop.dll!Check | shop.dll!main",
        of(
            "ntdll.dll!RtlRaiseException",
            "KERNELBASE.dll!RaiseException",
            "vcruntime140.dll!_CxxThrowException(void *,_ThrowInfo const *)",
            "shop.dll!Check",
            "shop.dll!main"));
    assertEquals("NO EXCEPTION | ucrtbase.dll!abort", of("ucrtbase.dll!abort"), "one stays");
  }

  /** The list that the documentation promises to keep. */
  @Test
  void functionsThatAreLeftOutAreThoseOfTheDocumentation() throws IOException {
    String text = Files.readString(TestData.projectRoot().resolve("docs/stacks.md"));
    int begin = text.indexOf("```dispatch") + "```dispatch".length();
    List<String> names =
        List.of(text.substring(begin, text.indexOf("```", begin)).strip().split("\\s+", -1));
    assertEquals(46, names.size());
    for (String name : names) {
      assertEquals("NO EXCEPTION | a.dll!f", of("x.dll!" + name + "(int)", "a.dll!f"), name);
    }
  }

  @Test
  void aRecursionCountsOnceAndFiveFunctionsAreEnough() {
    assertEquals(
        "NO EXCEPTION | a!f | a!g | a!f | a!h | a!i",
        of("a!f", "a!f", "a!f", "a!g", "a!f", "a!h", "a!i", "a!j"));
  }

  @Test
  void nothingComesAfterAGuess() {
    List<NamedFrame> stack =
        List.of(
            frame(FrameTrust.INLINE, "a!small"),
            frame(FrameTrust.CONTEXT, "a!f"),
            frame(FrameTrust.SCAN, "a!g"),
            frame(FrameTrust.UNWIND, "a!h"));
    assertEquals(
        "NO EXCEPTION | a!f", CrashSignature.of(Optional.empty(), stack).text(), "nor inlined");
  }
}
