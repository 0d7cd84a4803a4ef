package io.ntrail.programs.x86.asm.operands;

/**
 * A general register that an address can be made of.
 *
 * @param <R> the registers of this size
 */
public sealed interface AddressRegister<R extends AddressRegister<R>> extends Gpr<R>
    permits Reg32, Reg64 {}
