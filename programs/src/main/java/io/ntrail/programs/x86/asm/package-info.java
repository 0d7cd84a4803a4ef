/**
 * A fluent assembler for IA-32 and x64 machine code.
 *
 * <pre>{@code
 * Assembler a = Assembler.x64();
 * Label again = a.label("again");
 * a.mov(ECX, 10)
 *     .bind(again)
 *     .add(RAX, ptr(RDX).index(RCX, 8))
 *     .dec(ECX)
 *     .jne(again)
 *     .ret();
 * byte[] bytes = a.assemble().bytes();
 * }</pre>
 *
 * <p>{@link io.ntrail.programs.x86.asm.Assembler} is the entry point. Its methods come from one
 * interface per chapter of the instruction set ({@code MoveInstructions}, {@code
 * BranchInstructions}, ...), or from {@code op} with any mnemonic; registers, memory, numbers and
 * labels are in {@link io.ntrail.programs.x86.asm.operands.AssemblerOperand}'s package. The path of
 * an instruction: {@code FormTable} lists the forms of its mnemonic, {@code FormMatcher} says which
 * of them take the operands, {@code Encoder} writes the shortest, {@code CodeBuffer} appends it,
 * {@code CodeLayout} relaxes jumps and padding when {@code assemble} is called, and the result is
 * {@link io.ntrail.programs.x86.asm.AssembledCode}.
 *
 * <p>The forms are read from the list that the decoder is made of ({@code forms/README.txt} in the
 * package above), so that the two cannot disagree; the tests compare both with assemblers of other
 * projects. Of several encodings the shortest is taken, and of those the first in the list; {@link
 * io.ntrail.programs.x86.asm.operands.Imm} and {@link io.ntrail.programs.x86.asm.operands.Mem} can
 * ask for a certain width, and jumps have short and near variants beside the one that picks its own
 * length.
 *
 * <p>Prefixes and other modifiers come before their instruction and hold for that one only: {@code
 * a.lock().xadd(...)}, {@code a.rep().movsb()}, and for AVX-512 {@code a.zeroed(K1).op("VADDPS",
 * ...)} or {@code a.rounding(Rounding.UP)}. Not supported are 16-bit code, 16-bit addresses, and
 * encodings that only AMD processors read that way.
 *
 * <p>An operand that cannot be encoded is refused with an {@link IllegalArgumentException} that
 * gives the reason: by the method that writes it where possible, and by {@code assemble} where it
 * depends on labels.
 */
@NullMarked
package io.ntrail.programs.x86.asm;

import org.jspecify.annotations.NullMarked;
