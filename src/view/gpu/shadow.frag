// How near the ground the character is: red for the wide shadow, green for where it touches.

uniform float groundHeight;
uniform float size;

centroid in vec3 pos;

layout (location = 0) out vec4 outColor;

void main()
{
    leaveOut();
    float height = max(pos.y - groundHeight, 0.0) / size;
    outColor = vec4(exp(-height * 3.0), exp(-height * 28.0), 0.0, 1.0);
}
