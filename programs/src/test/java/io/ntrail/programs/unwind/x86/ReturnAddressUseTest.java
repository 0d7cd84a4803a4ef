package io.ntrail.programs.unwind.x86;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.PeSectionContent;
import io.ntrail.programs.unwind.x86.ReturnAddressUse.Use;
import io.ntrail.programs.x86.asm.Assembler;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Uses of return addresses in hand-written code. */
final class ReturnAddressUseTest {
  /** No function of the image is there. */
  private static final int SLOT = 0x10;

  private static final int[] ALIGN = {0x83, 0xE4, 0xF0};
  private static final int[] LEAVE_RET = {0xC9, 0xC3};

  private static int[] code(UnaryOperator<Assembler> body) {
    byte[] bytes = body.apply(Assembler.ia32()).assemble().bytes();
    int[] code = new int[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      code[i] = bytes[i] & 0xFF;
    }
    return code;
  }

  private static Use use(int[]... parts) {
    PeBuilder builder = PeBuilder.library(MachineType.I386);
    PeSectionContent code = builder.code();
    code.fill(64, 0xCC).label("one");
    for (int[] part : parts) {
      code.code(part);
    }
    code.fill(64, 0xCC);
    PeBuilder.Built built = builder.build();
    PeImage image = PeImage.ofFile(InputFile.of(built.file(), "one.dll"));
    return new ReturnAddressUse(image, image.headers().imageBase(), _ -> false)
        .of(built.rva("one"));
  }

  private static Use use(UnaryOperator<Assembler> body) {
    return use(code(body));
  }

  @Test
  void argumentsAreNotTheReturnAddress() {
    assertEquals(Use.NONE, use(a -> a.mov(EAX, ptr(ESP).plus(4)).ret()));
    assertEquals(Use.NONE, use(a -> a.lea(EAX, ptr(ESP).plus(4)).ret()));
    assertEquals(
        Use.NONE, use(a -> a.push(EBP).mov(EBP, ESP).mov(EAX, ptr(EBP).plus(8)).pop(EBP).ret()));
  }

  @Test
  void itIsReadThroughStackPointerAndFramePointer() {
    assertEquals(Use.USED, use(a -> a.mov(EAX, ptr(ESP)).ret()));
    assertEquals(Use.USED, use(a -> a.lea(EAX, ptr(ESP)).ret()));
    assertEquals(Use.USED, use(a -> a.mov(ptr(ESP), EAX).ret()));
    assertEquals(Use.USED, use(a -> a.pop(ECX).push(ECX).ret()));
    assertEquals(Use.USED, use(a -> a.push(EBX).mov(EAX, ptr(ESP).plus(4)).pop(EBX).ret()));
    assertEquals(
        Use.USED, use(a -> a.push(EBP).mov(EBP, ESP).mov(EAX, ptr(EBP).plus(4)).pop(EBP).ret()));
  }

  @Test
  void aFunctionThatRemovesItReturnsElsewhere() {
    assertEquals(Use.USED, use(a -> a.add(ESP, 4).jmp(EAX)));
  }

  @Test
  void aFunctionOfWindowsRemovesItsArgumentsAndOneOfCDoesNot() {
    // The caller of the second has to remove what it pushed.
    assertEquals(
        Use.NONE,
        use(a -> a.push(EBX).push(EAX).call(absolute(SLOT)).mov(EAX, ptr(ESP)).pop(EBX).ret()));
    assertEquals(
        Use.USED,
        use(a ->
            a.push(EBX).push(EAX).call(absolute(SLOT)).mov(EAX, ptr(ESP).plus(4)).pop(EBX).ret()));
    assertEquals(
        Use.NONE,
        use(a ->
            a.push(EBX)
                .push(EAX)
                .call(absolute(SLOT))
                .mov(EAX, ptr(ESP).plus(4))
                .pop(ECX)
                .pop(EBX)
                .ret()));
    assertEquals(
        Use.USED,
        use(a ->
            a.push(EBX)
                .push(EAX)
                .call(absolute(SLOT))
                .add(ESP, 4)
                .mov(EAX, ptr(ESP).plus(4))
                .pop(EBX)
                .ret()));
  }

  @Test
  void roomForArgumentsThatIsKeptIsMadeAgainAfterACall() {
    assertEquals(
        Use.USED,
        use(a ->
            a.sub(ESP, 12)
                .mov(ptr(ESP), EAX)
                .call(absolute(SLOT))
                .sub(ESP, 4)
                .mov(EAX, ptr(ESP).plus(12))
                .add(ESP, 12)
                .ret()));
  }

  @Test
  void aStackPointerThatNothingExplainsIsNotFollowed() {
    assertEquals(Use.UNKNOWN, use(a -> a.mov(ESP, ptr(ECX)).mov(EAX, ptr(ESP)).ret()));
    // Sixteen bytes are pushed for two calls, which no rule explains.
    assertEquals(
        Use.UNKNOWN,
        use(a ->
            a.push(EAX)
                .call(absolute(SLOT))
                .push(EAX)
                .push(EAX)
                .call(absolute(SLOT))
                .mov(EAX, ptr(ESP).plus(4))
                .add(ESP, 16)
                .ret()));
  }

  @Test
  void theCopyThatAnAlignedFrameBeginsWithIsNoUseAndReadingItIs() {
    int[] begin = code(a -> a.lea(ECX, ptr(ESP).plus(4)));
    int[] frame = code(a -> a.push(ptr(ECX).plus(-4).as32()).push(EBP).mov(EBP, ESP).push(ECX));
    int[] end = code(a -> a.mov(ECX, ptr(EBP).plus(-4)));
    int[] out = code(a -> a.lea(ESP, ptr(ECX).plus(-4)).ret());
    int[] leave = {LEAVE_RET[0]};
    assertEquals(Use.NONE, use(begin, ALIGN, frame, end, leave, out));
    int[] read = code(a -> a.mov(EAX, ptr(EBP).plus(4)));
    assertEquals(Use.USED, use(begin, ALIGN, frame, read, end, leave, out));
    int[] argument = code(a -> a.mov(EAX, ptr(ECX)));
    assertEquals(Use.NONE, use(begin, ALIGN, frame, argument, end, leave, out));
  }

  @Test
  void bothWaysOfABranchAreFollowed() {
    for (int offset : new int[] {0, 4}) {
      Use expected = offset == 0 ? Use.USED : Use.NONE;
      assertEquals(
          expected,
          use(a -> {
            var other = a.label("other");
            return a.test(EAX, EAX)
                .jz(other)
                .ret()
                .bind(other)
                .mov(EAX, ptr(ESP).plus(offset))
                .ret();
          }));
    }
  }

  @Test
  void codeBehindAReturnIsNotTheFunctions() {
    assertEquals(Use.NONE, use(a -> a.ret().mov(EAX, ptr(ESP)).ret()));
  }

  @Test
  void aJumpThatNobodyExplainsMayLeadAnywhere() {
    assertEquals(Use.UNKNOWN, use(a -> a.push(EBX).jmp(EAX)));
    assertEquals(Use.NONE, use(a -> a.jmp(EAX)), "the end of the function");
  }
}
