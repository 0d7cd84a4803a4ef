/**
 * Operands of the assembler: one sealed family, {@link
 * io.ntrail.programs.x86.asm.operands.AssemblerOperand}.
 *
 * <pre>
 * general registers     Reg8, Reg16, Reg32, Reg64: {@link io.ntrail.programs.x86.asm.operands.Gpr}; the last two can address memory
 * vector registers      Xmm, Ymm, Zmm: {@link io.ntrail.programs.x86.asm.operands.VectorRegister}
 * other registers       segment, x87, MMX, mask, control, debug, tile, bound: {@link io.ntrail.programs.x86.asm.operands.RegisterOperand}
 * memory                {@link io.ntrail.programs.x86.asm.operands.Mem}
 * numbers               {@link io.ntrail.programs.x86.asm.operands.Imm}, or a plain {@code long}
 * targets of branches   {@link io.ntrail.programs.x86.asm.operands.Label}, BranchTarget, {@link io.ntrail.programs.x86.asm.operands.FarPointer}
 * </pre>
 *
 * <p>{@code RegisterOrMemory}, {@code XmmOrMemory} and {@code YmmOrMemory} are the types of
 * parameters that take either. Operands are immutable and know nothing of encodings; whether an
 * instruction takes them is decided in the package above.
 */
@NullMarked
package io.ntrail.programs.x86.asm.operands;

import org.jspecify.annotations.NullMarked;
