package io.ntrail.programs.patchability;

import static io.ntrail.programs.patchability.Sketches.X64;
import static io.ntrail.programs.patchability.Sketches.X86;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes and reasons, on images of a few functions. */
class PatchabilityTest {
  /** Bytes at the start of a section that the measurement of padding skips. */
  private static final String BODY = "31 C0 ".repeat(16);

  /** A function that nothing is wrong with but its lack of padding. */
  private static final String BEFORE = "before: 48 83 EC 28 " + BODY + "C3";

  private static FunctionPatch second(int machine, String padding, String function) {
    return Sketches.of(machine, BEFORE, padding, "f: " + function, "CC CC").patch("f");
  }

  private static void assertRefused(PatchRefusal refusal, String detail, FunctionPatch patch) {
    assertEquals(PatchClass.D, patch.patchClass(), patch::toString);
    assertEquals(Optional.of(refusal), patch.refusal());
    assertEquals(detail, patch.detail());
    assertEquals(-1, patch.jumpAt());
    assertFalse(patch.isPossible());
    assertFalse(refusal.text().isEmpty());
  }

  @Test
  void ownPaddingAndALongFirstInstructionIsClassA() {
    FunctionPatch patch = second(X64, "CC CC CC CC CC CC", "48 89 5C 24 08 C3");
    assertEquals(PatchClass.A, patch.patchClass());
    assertEquals(Optional.empty(), patch.refusal());
    assertEquals(5, patch.firstLength());
    assertEquals(5, patch.unitLength());
    assertEquals(1, patch.unitInstructions());
    assertEquals(patch.function().rva() - 5, patch.jumpAt());
    assertEquals(new FunctionPadding(6, PaddingKind.INT3, 6, 6, PaddingKind.INT3), patch.padding());
  }

  @Test
  void ownPaddingAndAShortFirstInstructionIsClassB() {
    FunctionPatch patch = second(X64, "CC CC CC CC CC", "53 48 83 EC 20 C3");
    assertEquals(PatchClass.B, patch.patchClass());
    assertEquals(1, patch.firstLength());
    assertEquals(5, patch.unitLength());
    assertEquals(2, patch.unitInstructions());
  }

  @Test
  void fourBytesOfPaddingAreTooFewForAJump() {
    assertRefused(PatchRefusal.NO_PADDING, "", second(X64, "CC CC CC CC", "48 89 5C 24 08 C3"));
  }

  private static FunctionPatch inPlace(String... pieces) {
    return Sketches.of(X64, pieces).inPlace("f");
  }

  @Test
  void withoutPaddingAJumpCanTakeThePlaceOfTheFirstFiveBytes() {
    FunctionPatch patch = inPlace(BEFORE, "f: 53 48 83 EC 20 33 C0 C3", "CC CC");
    assertEquals(PatchClass.E, patch.patchClass());
    assertEquals(5, patch.unitLength());
    assertEquals(2, patch.unitInstructions());
    assertEquals(patch.function().rva(), patch.jumpAt());
    assertTrue(patch.isInPlace());
    assertEquals(5, patch.overwritten());
    // The instruction that the fifth byte belongs to is moved as a whole.
    assertEquals(
        11, inPlace(BEFORE, "f: 48 83 EC 28 48 8B 05 11 22 33 44 C3", "CC CC").unitLength());
  }

  @ParameterizedTest
  @CsvSource({
    "33 C0 C3 CC CC CC, its first instructions contain a return",
    "48 83 EC 28 E8 00 00 00 00 C3, its first instructions contain a call",
    "48 83 EC 28 75 00 C3, its first instructions contain a branch",
    "33 C0 33 C9 33 D2 75 FA C3, a branch leads into its first instructions",
  })
  void immovableInstructionsStayRefused(String function, String why) {
    assertRefused(
        PatchRefusal.NO_PADDING, "and in its place: " + why, inPlace(BEFORE, "f: " + function));
  }

  @Test
  void aFunctionWithPaddingIsNotPatchedInPlace() {
    assertEquals(
        PatchClass.B, inPlace(BEFORE, "CC CC CC CC CC", "f: 53 48 83 EC 20 33 C0 C3").patchClass());
  }

  @Test
  void theNextFunctionIsNotOverwritten() {
    assertRefused(
        PatchRefusal.NO_PADDING,
        "and in its place: it is shorter than the jump",
        inPlace(BEFORE, "f: 33 C0 33 C9", "g: 33 D2 48 83 EC 28 " + BODY + "C3"));
  }

  @Test
  void aFunctionWithoutAnEndIsNotSaidToBeShort() {
    assertRefused(
        PatchRefusal.NO_PADDING,
        "and in its place: no end of it was found",
        Sketches.of(X86, "before: " + BODY + "C3", "f: 55 8B EC 56 57 E8 00 00 00 00", "g: C3")
            .inPlace("f"));
  }

  @Test
  void anInstructionThatCountsFromItsOwnAddressCanBeMovedAndIsMarked() {
    FunctionPatch patch = second(X64, "CC CC CC CC CC", "48 8B 05 11 22 33 44 C3");
    assertEquals(PatchClass.A, patch.patchClass());
    assertTrue(patch.relative());
  }

  @ParameterizedTest
  @CsvSource({
    "CC CC CC CC CC, INT3, 5, INT3, 5, 5",
    "90 90 90 90 90 90, NOP, 6, NOP, 6, 6",
    "00 00 00 00 00 00, ZERO, 6, ZERO, 6, 6",
    "CC CC 90 90 90, MIXED, 5, MIXED, 5, 5",
    "0F 1F 44 00 00, ZERO, 2, LONG_NOP, 5, 5",
    "66 0F 1F 44 00 00, ZERO, 2, LONG_NOP, 6, 6",
    "66 66 2E 0F 1F 84 00 00 00 00 00 66 90, NOP, 1, LONG_NOP, 13, 13",
    "0F 1F 40 00 90, MIXED, 2, MIXED, 5, 5",
  })
  void paddingHasKindAndSize(
      String bytes, PaddingKind fills, int run, PaddingKind filler, int withNops, int own) {
    FunctionPatch patch = second(X64, bytes, "48 89 5C 24 08 C3");
    assertEquals(new FunctionPadding(run, fills, withNops, own, filler), patch.padding());
    assertEquals(PatchClass.A, patch.patchClass());
  }

  @Test
  void int3InsideTheFunctionInFrontIsNotPadding() {
    FunctionPatch patch =
        Sketches.of(
                X64, "before: " + BODY + "E8 11 22 33 44 CC CC CC CC CC CC", "f: 48 83 EC 28 C3")
            .patch("f");
    assertRefused(PatchRefusal.NO_PADDING, "", patch);
    assertEquals(6, patch.padding().run());
    assertEquals(0, patch.padding().own());
  }

  @Test
  void theEndOfAnUnknownFunctionIsNotPadding() {
    // Between them mov eax,0 and ret, which no symbol covers.
    FunctionPatch patch = second(X64, "CC B8 00 00 00 00 C3 CC CC CC CC", "48 83 EC 28 C3");
    assertEquals(4, patch.padding().own());
    // A jump to five bytes on has zeros at its end.
    FunctionPatch behindJump = second(X64, "E9 05 00 00 00 90 90 90", "48 83 EC 28 C3");
    assertEquals(6, behindJump.padding().run());
    assertEquals(3, behindJump.padding().own());
  }

  @Test
  void nopsThatAreRunIntoAreNotPadding() {
    FunctionPatch patch = second(X64, "CC 48 31 C0 90 90 90 90 90 90", "48 83 EC 28 C3");
    assertEquals(0, patch.padding().own());
    assertRefused(PatchRefusal.NO_PADDING, "", patch);
  }

  @Test
  void int3AfterACallThatDoesNotReturnIsPadding() {
    FunctionPatch patch = second(X64, "CC E8 11 22 00 00 CC CC CC CC CC CC", "48 83 EC 28 C3");
    assertEquals(6, patch.padding().own());
  }

  @Test
  void ofInt3AfterATableTheFirstByteIsNotTaken() {
    // 48 alone is not an instruction: the decoder takes it with the CC after it, and so on.
    FunctionPatch patch = second(X64, "11 22 33 C7 44 24 CC CC CC CC CC CC CC", "48 83 EC 28 C3");
    assertEquals(7, patch.padding().run());
    assertEquals(6, patch.padding().own());
  }

  @Test
  void theFirstFunctionOfASectionMayHavePaddingInFrontOfIt() {
    FunctionPatch patch = Sketches.of(X64, "CC CC CC CC CC CC", "f: 48 83 EC 28 C3").patch("f");
    assertEquals(PatchClass.A, patch.patchClass());
  }

  @ParameterizedTest
  @CsvSource({
    "74 05 C3, BRANCH_IN_UNIT, 74 05",
    "FF E0, BRANCH_IN_UNIT, FF E0",
    "53 EB 00 C3, BRANCH_IN_UNIT, EB 00",
    "E3 05 C3, BRANCH_IN_UNIT, E3 05",
    "E2 05 C3, BRANCH_IN_UNIT, E2 05",
    "E8 11 22 33 44 C3, CALL_IN_UNIT, E8 11 22 33 44",
    "53 FF D0 C3, CALL_IN_UNIT, FF D0",
    "C3, RETURN_IN_UNIT, C3",
    "C2 08 00, RETURN_IN_UNIT, C2 08 00",
    "53 C3, RETURN_IN_UNIT, C3",
    "53 CC C3, SPECIAL_INSTRUCTION, CC",
    "0F 0B, SPECIAL_INSTRUCTION, 0F 0B",
    "CD 29 C3, SPECIAL_INSTRUCTION, CD 29",
    "0F 05 C3, SPECIAL_INSTRUCTION, 0F 05",
    "CC C3, BREAKPOINT, ''",
    "06 06 06, NOT_CODE, ''",
  })
  void immovableInstructionsAreTheReason(String bytes, PatchRefusal refusal, String detail) {
    // Bytes after it keep the end of the image away.
    Sketches sketch =
        Sketches.of(X64, BEFORE, "CC CC CC CC CC CC", "f: " + bytes, "CC".concat(" CC".repeat(20)));
    assertRefused(refusal, detail, sketch.patch("f"));
  }

  @Test
  void aJumpToAnotherFunctionIsNamed() {
    assertRefused(
        PatchRefusal.JUMPS_ON, "to 0x1000", second(X64, "CC CC CC CC CC CC", "E9 D0 FF FF FF"));
  }

  @Test
  void aJumpOutOfTheImageIsAForeignPatch() {
    assertRefused(
        PatchRefusal.ALREADY_PATCHED,
        "to address 0x14100102f, outside the image",
        second(X64, "CC CC CC CC CC", "E9 00 00 00 01 C3"));
  }

  @Test
  void aShortJumpToAJumpInThePaddingIsAForeignPatch() {
    assertRefused(
        PatchRefusal.ALREADY_PATCHED,
        "to address 0x14100102a, outside the image",
        second(X64, "E9 00 00 00 01", "EB F9 5C 24 08 C3"));
  }

  @Test
  void aShortJumpToAJumpThroughASlotIsAForeignPatch() {
    // The slot lies behind the code, and holds an address that is none of the image.
    Sketches sketch =
        Sketches.of(
            X64, BEFORE, "FF 25 06 00 00 00", "f: EB F8 5C 24 08 C3", "00 00 00 10 FE 7F 00 00");
    assertRefused(
        PatchRefusal.ALREADY_PATCHED,
        "to address 0x7ffe10000000, outside the image",
        sketch.patch("f"));
  }

  @Test
  void aJumpThroughASlotIntoTheImageIsATailJump() {
    Sketches sketch =
        Sketches.of(
            X64, BEFORE, "CC CC CC CC CC", "f: FF 25 00 00 00 00", "00 10 00 40 01 00 00 00");
    assertRefused(PatchRefusal.JUMPS_ON, "to 0x1000", sketch.patch("f"));
  }

  @Test
  void aFunctionThatEndsInsideItsFirstInstructionsIsTooShort() {
    Sketches sketch = Sketches.of(X64, BEFORE, "CC CC CC CC CC", "f: 53", "48 83 EC 20 C3");
    assertRefused(PatchRefusal.TOO_SHORT, "1 bytes", sketch.patch("f"));
  }

  @Test
  void aLoopToTheFirstByteIsRefusedAndACallOfItselfIsNot() {
    assertRefused(
        PatchRefusal.LOOPS_TO_ENTRY,
        "from 0x102e",
        second(X64, "CC CC CC CC CC", "48 FF C8 90 75 FA C3"));
    assertEquals(
        PatchClass.A, second(X64, "CC CC CC CC CC", "48 83 EC 28 E8 F7 FF FF FF C3").patchClass());
  }

  @Test
  void anotherFunctionMayJumpToTheFirstByte() {
    Sketches sketch =
        Sketches.of(
            X64, "before: 48 83 EC 28 E9 05 00 00 00", "CC CC CC CC CC", "f: 48 83 EC 28 C3");
    assertEquals(PatchClass.A, sketch.patch("f").patchClass());
  }

  @Test
  void aBranchBetweenTheFirstInstructionsIsRefusedWhereverItComesFrom() {
    assertRefused(
        PatchRefusal.BRANCH_INTO_UNIT,
        "from 0x102f",
        second(X64, "CC CC CC CC CC", "53 48 83 EC 20 75 FA C3"));
    Sketches other =
        Sketches.of(X64, "before: 48 83 EC 28 E9 06 00 00 00", "CC CC CC CC CC", "f: 53 56 57 C3");
    assertRefused(PatchRefusal.BRANCH_INTO_UNIT, "from 0x1004", other.patch("f"));
  }

  @Test
  void anExportAfterTheStartOfAFunctionIsInsideIt() {
    Sketches sketch = Sketches.of(X64, "f: 53 48 83 EC 20 5B C3");
    sketch.sketch().exports(Map.of("inner", sketch.start("f") + 1));
    FunctionPatch inner = sketch.patches().get(1);
    assertEquals(List.of("inner"), inner.function().names());
    assertRefused(PatchRefusal.INSIDE_FUNCTION, "0x1000", inner);
  }

  @Test
  void aFunctionWithoutPaddingBorrowsFromTheNextInReach() {
    Sketches sketch =
        Sketches.of(
            X64, BEFORE, "f: 48 83 EC 28 C3", "CC CC CC CC CC CC CC CC CC CC", "g: 48 83 EC 28 C3");
    FunctionPatch f = sketch.patch("f");
    assertEquals(PatchClass.C, sketch.patch("before").patchClass());
    assertEquals(sketch.start("f") + 5, sketch.patch("before").jumpAt());
    // The place was taken, and the rest belongs to g.
    assertRefused(PatchRefusal.NO_PADDING, "", f);
    assertEquals(PatchClass.A, sketch.patch("g").patchClass());
  }

  @Test
  void paddingOfAFunctionThatIsRefusedIsFreeForOthers() {
    Sketches sketch = Sketches.of(X64, BEFORE, "CC CC CC CC CC", "g: C3 CC");
    assertEquals(PatchClass.C, sketch.patch("before").patchClass());
    assertEquals(sketch.start("g") - 5, sketch.patch("before").jumpAt());
  }

  @ParameterizedTest
  @ValueSource(ints = {127, 128})
  void aBorrowedPlaceIsInReachOfAShortJump(int between) {
    // f lies at FIRST; after it the place at f + 2 + between, for a jump of at most 127.
    Sketches sketch =
        Sketches.of(
            X64,
            "f: 48 83 EC 28" + " 90".repeat(between - 3) + " C3",
            "CC CC CC CC CC",
            "g: C3 CC");
    assertEquals(between <= 127 ? PatchClass.C : PatchClass.D, sketch.patch("f").patchClass());
  }

  @ParameterizedTest
  @ValueSource(ints = {126, 127})
  void aBorrowedPlaceMayLieInFront(int back) {
    Sketches sketch =
        Sketches.of(
            X64,
            "before: C3" + " CC".repeat(5),
            "C3 CC CC CC CC CC",
            "g: C3" + " 90".repeat(back - 7) + " C3",
            "f: 48 83 EC 28 C3");
    FunctionPatch f = sketch.patch("f");
    assertEquals(back <= 126 ? PatchClass.C : PatchClass.D, f.patchClass(), f::toString);
  }

  @Test
  void aFunctionWithAHashInFrontBorrowsWhatLiesInFrontOfThat() {
    Sketches near =
        Sketches.of(
            X64,
            "CC CC CC CC CC",
            BEFORE,
            "CC CC CC CC CC CC CC CC CC CC CC CC CC",
            "f: 48 83 EC 28 C3");
    near.sketch().guard(0x1080_0500L, 0, near.start("f"));
    assertEquals(PatchClass.A, near.patch("f").patchClass());
    Sketches hashed =
        Sketches.of(
            X64,
            "CC CC CC CC CC",
            BEFORE,
            "CC CC CC CC CC CC CC CC CC CC CC CC CC",
            "f: 48 83 EC 28 C3");
    hashed.sketch().guard(0x1080_0500L, 8, hashed.start("f"));
    FunctionPatch f = hashed.patch("f");
    assertEquals(PatchClass.C, f.patchClass());
    assertEquals(0, f.padding().own());
    assertEquals(hashed.start("f") - 13, f.jumpAt());
  }

  @Test
  void aHashWithoutPaddingInFrontIsTheReason() {
    Sketches hashed = Sketches.of(X64, BEFORE, "CC CC CC CC CC CC CC CC", "f: 48 83 EC 28 C3");
    hashed.sketch().guard(0x1080_0500L, 8, hashed.start("f"));
    assertRefused(PatchRefusal.TYPE_HASH, "", hashed.patch("f"));
  }

  @Test
  void theClassesOfX86AreTheSameWithItsOwnPadding() {
    Sketches sketch =
        Sketches.of(
            X86,
            "before: 55 8B EC 5D C2 04 00",
            "8D B4 26 00 00 00 00",
            "a: 8B FF 55 8B EC 5D C3",
            "90 90 90 90 90",
            "b: 55 8B EC 5D C3",
            "c: 8B FF C3",
            "CC CC CC CC CC CC CC CC CC CC",
            "d: 8B FF C3");
    assertEquals(PatchClass.A, sketch.patch("a").patchClass());
    assertEquals(PaddingKind.LONG_NOP, sketch.patch("a").padding().filler());
    assertEquals(PatchClass.B, sketch.patch("b").patchClass());
    assertEquals(PatchClass.C, sketch.patch("before").patchClass());
    assertEquals(PatchClass.D, sketch.patch("c").patchClass());
    assertEquals(PatchClass.A, sketch.patch("d").patchClass());
  }

  @Test
  void paddingOfX86StartsAfterAReturn() {
    Sketches sketch = Sketches.of(X86, "f: 33 C0 8D B4 26 00 00 00 00", "g: 8B FF C3");
    assertEquals(0, sketch.patch("g").padding().own());
  }

  @Test
  void aJumpOfX86ThroughASlotIsResolvedByItsAddress() {
    // jmp [40100Dh], which holds 401000h.
    Sketches sketch =
        Sketches.of(X86, "f: 8B FF C3 CC CC CC CC", "g: FF 25 0D 10 40 00", "00 10 40 00");
    assertRefused(PatchRefusal.JUMPS_ON, "to 0x1000", sketch.patch("g"));
  }

  @Test
  void aTailJumpOfTheNextUnknownFunctionIsNotALoop() {
    // f ends with its ret; the code after it, which no symbol covers, jumps to f.
    Sketches sketch = Sketches.of(X86, "CC CC CC CC CC", "f: 8B FF C3 CC 33 C0 EB F8", "CC CC");
    assertEquals(PatchClass.A, sketch.patch("f").patchClass());
    Sketches loop = Sketches.of(X86, "CC CC CC CC CC", "f: 8B FF 74 FC C3", "CC CC");
    assertEquals(Optional.of(PatchRefusal.LOOPS_TO_ENTRY), loop.patch("f").refusal());
  }

  @Test
  void aFunctionAtTheEndOfACacheLineStraddles() {
    Sketches sketch =
        Sketches.of(X64, "before: C3" + " CC".repeat(62), "f: 48 83 EC 28 C3", "g: C3 CC");
    assertTrue(sketch.patch("f").straddles());
    assertFalse(sketch.patch("g").straddles());
  }

  @Test
  void codeOfAnotherMachineIsNotLookedAt() {
    assertRefused(
        PatchRefusal.OTHER_MACHINE, "", Sketches.of(0xAA64, "f: 48 83 EC 28 C3").patch("f"));
  }

  @Test
  void codeOfTwoMachinesIsNotLookedAt() {
    Sketches sketch = Sketches.of(X64, "CC CC CC CC CC", "f: 48 83 EC 28 C3");
    sketch.sketch().hybrid();
    assertRefused(PatchRefusal.OTHER_MACHINE, "", sketch.patch("f"));
  }

  @Test
  void anImageWithoutFunctionsHasNone() {
    assertEquals(List.of(), Sketches.of(X64, "CC CC").patches());
  }
}
