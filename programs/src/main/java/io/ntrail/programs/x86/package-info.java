/**
 * x86 machine code, 16, 32 and 64 bit.
 *
 * <p>Decoding has three depths, each cheaper than the next. The first: how long an instruction is,
 * whether it is one, what it does to the flow of control, and where its parts are that have to
 * change when it moves. The second: its form, its operands ({@link
 * io.ntrail.programs.x86.OperandReader}), and what it reads and writes ({@link
 * io.ntrail.programs.x86.Effects}). The third: its text ({@link
 * io.ntrail.programs.x86.IntelSyntax}).
 *
 * {@snippet :
 * InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
 * Instruction instruction = new Instruction();
 * int length = decoder.decode(code, at, end, instruction);
 * if (instruction.flowClass() == FlowClass.DIRECT_CALL) {
 *   long target = instruction.branchTarget(address);
 * }
 * OperandReader reader = OperandReader.of(decoder);
 * Operands operands = new Operands();
 * if (reader.read(instruction, operands)) {
 *   String text = IntelSyntax.text(instruction, operands, address);
 *   Effects effects = Effects.of(instruction, operands);
 * }
 * }
 *
 * <h2>An instruction</h2>
 *
 * <pre>
 * [prefixes]  [REX]                  opcode  [ModRM [SIB] [displacement]]  [immediate]
 * [prefixes]  [VEX or EVEX or XOP]   opcode   ModRM ...                    [immediate]
 *
 * together 1 to 15 bytes
 *
 * prefixes  F0 lock | F2 repne | F3 rep | 2E 36 3E 26 64 65 segments | 66 operand size
 *           | 67 address size; in any order, of F2 and F3 the last one counts
 * REX       40-4F, in 64-bit code, right before the opcode; else it is void
 * opcode    one byte, or after 0F, 0F 38, 0F 3A; after 0F 0F it comes last (3DNow!)
 *
 *       byte 1           byte 2           byte 3
 * C5    R vvvv L pp                                       map 0F
 * C4    R X B mmmmm      W vvvv L pp                      maps 1 to 3 (0F, 0F38, 0F3A) and 7
 * 8F    R X B mmmmm      W vvvv L pp                      maps 8 to A, else POP
 * 62    R X B R' 0 mmm   W vvvv 1 pp      z L'L b V' aaa  maps 1 to 3, 5, 6
 *       R X B R' vvvv V' are inverted; pp 0 none, 1 66, 2 F3, 3 F2
 *       outside 64-bit code C4, C5, 62 begin LES, LDS, BOUND unless the next byte is C0 or more
 *
 * ModRM     mod (2 bits) reg (3) rm (3)
 *   mod 3   rm is a register; MOV with control and debug registers takes any mod so
 *   else    rm 4: a SIB byte; mod 0 and rm 5: four bytes of displacement, in 64-bit code
 *           relative to the address after the instruction; mod 1: one byte, mod 2: four
 *   SIB     with base 5 and mod 0: four bytes
 *   16-bit addresses: no SIB; mod 0 and rm 6, and mod 2: two bytes; mod 1: one byte
 * </pre>
 *
 * Operand size: 66 changes between 16 and 32 bits, W makes it 64 and wins; pushes, pops and near
 * branches of 64-bit code have 64 without W, and Intel ignores 66 on near branches (AMD does not).
 * A mandatory prefix selects among instructions of the same opcode; F2 and F3 come before 66.
 *
 * <h2>The forms, and what is made of them</h2>
 *
 * The resource folder {@code forms} is the list of all instructions, a line a form in the spelling
 * of the vendors' manuals; its README explains the columns. It is the source of {@code forms.bin},
 * which the decoder loads ({@link io.ntrail.programs.x86.DecodeTables}): a page of 256 cells for
 * each map of each kind of code and vendor, where a cell is an answer or asks for some more bits.
 * Most opcodes are answered by the first cell. {@code operands.bin} ({@link
 * io.ntrail.programs.x86.FormRecords}) is made of the same forms, of {@code implied.txt} and of
 * {@code effects.txt}; it is loaded when operands are first needed. {@code FormTablesTest} makes
 * both anew after a change.
 *
 * <p>Not in the tables but in code, since it concerns several fields at once: LOCK, register
 * numbers that an operand does not have, unused vvvv, masks, registers that have to differ, SIB
 * bytes that have to be there.
 *
 * <h2>What it refuses</h2>
 *
 * {@code forms/refused.txt} lists extensions that are known and refused; of these APX is refused
 * with its {@linkplain io.ntrail.programs.x86.DecodeError#APX own reason}. Instructions that need a
 * privilege, a mode of the processor or a CPU feature are instructions, since the bytes do not say
 * what they run on; so is SYSCALL in 32-bit code, which only AMD runs.
 *
 * <h2>Sources</h2>
 *
 * The manuals of Intel (volume 2) and AMD (volumes 3 to 6) for the format; the forms were held
 * against the list of iced-x86, lengths and classes against Zydis, XED's test cases and objdump.
 * The tests list where these differ, and which one we follow.
 */
@NullMarked
package io.ntrail.programs.x86;

import org.jspecify.annotations.NullMarked;
