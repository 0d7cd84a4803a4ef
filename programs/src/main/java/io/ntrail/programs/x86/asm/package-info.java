/**
 * Writes x86 machine code: a fluent assembler for IA-32 and x64.
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
 * <p>What can be encoded, and how, is read from the list of forms that the decoder is made of
 * ({@code forms/README.txt} in the package above), so that the two cannot disagree; the tests hold
 * both against assemblers of others. Of several encodings the shortest is taken, and of those the
 * first in the list; {@link io.ntrail.programs.x86.asm.Imm} and {@link
 * io.ntrail.programs.x86.asm.Mem} can ask for a certain width, jumps have a short and a near form
 * beside the one that fits itself.
 *
 * <p>What changes how an instruction works is said before it: {@code a.lock().xadd(...)}, {@code
 * a.rep().movsb()}, and for AVX-512 {@code a.zeroed(K1).op("VADDPS", ...)} or {@code
 * a.rounding(Rounding.UP)}. It holds for one instruction. Not written are 16-bit code, addresses of
 * 16 bits, and what only AMD's processors read so.
 *
 * <p>What cannot be encoded is refused with an {@link IllegalArgumentException} that says why:
 * where it is written down as far as possible, and by {@code assemble} where labels decide.
 */
@NullMarked
package io.ntrail.programs.x86.asm;

import org.jspecify.annotations.NullMarked;
