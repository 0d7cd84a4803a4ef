package io.ntrail.programs.x86.asm.operands;

/**
 * A general register of one size. The parameter is the size: {@code <R extends Gpr<R>> add(R, R)}
 * takes two registers of the same size and does not compile with others.
 *
 * @param <R> the registers of this size
 */
public sealed interface Gpr<R extends Gpr<R>> extends RegisterOperand, RegisterOrMemory
    permits Reg8, Reg16, AddressRegister {}
