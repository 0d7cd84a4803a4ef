/**
 * Patchability: which functions of an image can be patched while they run, in which way, and why
 * not: the one classifier behind listings of an image and the planning of live traces. {@link
 * io.ntrail.programs.patchability.Patchability} is the entry point.
 *
 * <p>A patch is two things: a jump of five bytes to a stub, in bytes that no function uses, and a
 * short jump of two bytes to it over the first bytes of the function. The instructions that the
 * short jump overwrites are the <i>entry instructions</i> (or unit); a copy of them runs elsewhere,
 * so they must be relocatable, and nothing may jump between them. The classes and the reasons of
 * refusals are those of the design of live tracing, for x64 and for x86.
 */
@NullMarked
package io.ntrail.programs.patchability;

import org.jspecify.annotations.NullMarked;
