/**
 * Language-specific data of exception handlers: what follows the handler's RVA in unwind
 * information, and its counterparts on x86.
 *
 * <pre>
 * __C_specific_handler                {@link io.ntrail.formats.pe.handlers.ScopeTable}
 * __CxxFrameHandler3 and older        {@link io.ntrail.formats.pe.handlers.FuncInfo3}
 * __CxxFrameHandler4                  {@link io.ntrail.formats.pe.handlers.FuncInfo4}
 * __GSHandlerCheck and its variants   {@link io.ntrail.formats.pe.handlers.GsData}
 * _except_handler3, _except_handler4  {@link io.ntrail.formats.pe.handlers.SehFrame} (x86)
 * a C++ throw                         {@link io.ntrail.formats.pe.handlers.ThrowInfo}
 * </pre>
 *
 * <p>{@link io.ntrail.formats.pe.handlers.CxxFunction} is the common view of the two FuncInfo
 * formats. Readers do not fail: a record carries the reason why a part of it could not be read.
 * Which handler a function has is decided in {@code programs.handlers}.
 */
@NullMarked
package io.ntrail.formats.pe.handlers;

import org.jspecify.annotations.NullMarked;
