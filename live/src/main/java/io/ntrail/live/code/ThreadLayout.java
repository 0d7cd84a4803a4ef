package io.ntrail.live.code;

/**
 * Offsets in the structures that describe a thread: CONTEXT of winnt.h and the thread environment
 * block.
 *
 * @param contextBytes size of CONTEXT
 * @param contextFlags offset of its flags
 * @param control flags that select the instruction and stack pointer
 * @param full flags that select all general registers as well
 * @param registers offset of the first general register; the others follow it
 * @param registerCount number of general registers
 * @param stackPointer offset of the stack pointer
 * @param instructionPointer offset of the instruction pointer
 * @param stackBase offset of the stack's base in the thread environment block
 * @param tlsSlots offset of the first TLS slot in the thread environment block
 */
public record ThreadLayout(
    int contextBytes,
    int contextFlags,
    int control,
    int full,
    int registers,
    int registerCount,
    int stackPointer,
    int instructionPointer,
    int stackBase,
    int tlsSlots) {}
