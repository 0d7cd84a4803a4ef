@echo off
rem Starts ntrail on Windows: finds a JDK of version 25 or newer, and runs; in a checkout it builds once
rem if nothing is built. Simpler than ./ntrail: it has no start cache, and after a change of the sources
rem it has to be told to build again (ntrail.cmd --rebuild, or mvn package).
setlocal EnableExtensions DisableDelayedExpansion
set "ROOT=%~dp0"
set "JDK="
if defined NTRAIL_JAVA_HOME (
  call :try "%NTRAIL_JAVA_HOME%"
) else (
  if defined JAVA_HOME call :try "%JAVA_HOME%"
  for /f "delims=" %%J in ('where java 2^>nul') do for %%H in ("%%~dpJ..") do call :try "%%~fH"
  for /d %%D in ("%ProgramFiles%\Eclipse Adoptium\*" "%ProgramFiles%\Java\*" "%ProgramFiles%\Microsoft\jdk-*" "%USERPROFILE%\.jdks\*") do call :try "%%~fD"
)
if not defined JDK (
  echo ntrail: needs a JDK of version 25 or newer, and there is none on this system>&2
  echo try: winget install EclipseAdoptium.Temurin.25.JDK>&2
  exit /b 4
)
set "JARS=%ROOT%lib\*"
if exist "%ROOT%lib\ntrail-cli.jar" goto run
set "JARS=%ROOT%cli\target\ntrail-cli.jar;%ROOT%cli\target\lib\*"
if "%~1"=="--rebuild" goto build
if exist "%ROOT%cli\target\ntrail-cli.jar" if exist "%ROOT%cli\target\lib" goto run

:build
where mvn >nul 2>&1
if errorlevel 1 (
  echo ntrail: building needs Maven 3.8.7 or newer, and there is no mvn on the PATH>&2
  exit /b 4
)
echo building ntrail (first run takes a minute) ...>&2
pushd "%ROOT%"
set "JAVA_HOME=%JDK%"
call mvn -q -B -Dmaven.test.skip=true -pl cli -am package 1>&2
if errorlevel 1 (
  popd
  echo ntrail: the build failed>&2
  exit /b 1
)
popd
if "%~1"=="--rebuild" exit /b 0

:run
rem The slow compiler would come between the start of a program and its first traced call.
set "FLAGS="
if "%~1"=="trace" set "FLAGS=-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"%JDK%\bin\java" -Xlog:disable -Xlog:all=error:stderr --enable-native-access=ALL-UNNAMED %FLAGS% %NTRAIL_JAVA_OPTS% -cp "%JARS%" io.ntrail.cli.Main %*
exit /b %errorlevel%

rem :try HOME  sets JDK to HOME if none is set and its release file names version 25 or newer.
:try
if defined JDK exit /b 0
if not exist "%~1\release" exit /b 0
if not exist "%~1\bin\java.exe" exit /b 0
for /f "tokens=2 delims==" %%V in ('findstr /b "JAVA_VERSION=" "%~1\release"') do for /f "tokens=1 delims=.-+" %%M in ("%%~V") do if %%M GEQ 25 set "JDK=%~1"
exit /b 0
