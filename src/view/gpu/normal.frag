// Where the surface faces, as the camera sees it.

uniform vec3 eyeRight;
uniform vec3 eyeUp;
uniform vec3 eyeForward;

centroid in vec3 nor;

layout (location = 0) out vec4 outColor;

void main()
{
    leaveOut();
    vec3 n = normalize(gl_FrontFacing ? nor : -nor);
    outColor = vec4(vec3(dot(n, eyeRight), dot(n, eyeUp), -dot(n, eyeForward)) * 0.5 + 0.5, 1.0);
}
